-- Commands that let a bot speak and write chat.
alter table bot_commands drop constraint bot_commands_action_check;
alter table bot_commands add constraint bot_commands_action_check
  check (action in ('leave', 'reconfigure', 'speak', 'chat')) not valid;
-- Sound that a bot is to play, until it has taken the command or its launch is over.
alter table bot_commands add column audio bytea;
create index bot_commands_audio on bot_commands (connection_id) where audio is not null;

-- The chat of meetings, as bots report it.
create table chat_messages (
  id          bigint generated always as identity primary key,
  meeting_id  bigint      not null references meetings,
  session_uid text        not null,
  -- Of the bot; a message that comes again is the same message.
  message_id  text        not null,
  sender      text,
  text        text        not null,
  at          timestamptz not null,
  from_bot    boolean     not null,
  unique (session_uid, message_id)
);
create index chat_messages_meeting on chat_messages (meeting_id, id);
