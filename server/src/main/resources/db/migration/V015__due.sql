-- Which bots are due, found without looking at those that are not.

-- By what their deadline counts from. Their conditions are narrower than "live" on purpose: no question about all live bots
-- of somebody can be answered from them, so none is ever planned over them.
drop index meetings_live_bots;
create index meetings_moving_bots on meetings (state_entered_at)
  where not tracked and status in ('requested', 'reserved', 'starting', 'stopping');
create index meetings_active_bots on meetings (updated_at)
  where not tracked and status = 'active';

-- Made anew to be the youngest: while statistics say that nobody lives, all partial indexes look equally good, and of equals
-- Postgres takes the youngest.
drop index meetings_live_of_user;
create index meetings_live_of_user on meetings (user_id)
  where not tracked and status in ('requested', 'reserved', 'starting', 'active', 'stopping');

-- Few of a million rows live; without this they would be counted again after every hundred thousand changes.
alter table meetings set (autovacuum_analyze_scale_factor = 0.01, autovacuum_vacuum_scale_factor = 0.02);

-- Why we are about to end a bot, until it is heard again: the reason of its end, whoever tells of it first.
alter table meetings add column ending text;
