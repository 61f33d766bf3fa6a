-- What a bot says that it applied of a command, and what not; an older release writes none.
alter table bot_commands add column result jsonb;
-- The latest change of a bot's settings, which its status shows.
create index bot_commands_changes on bot_commands (connection_id, created_at) where action = 'reconfigure';
