-- Requests and channels are their owner's own: two users may count their requests alike.
alter table tasks drop constraint tasks_request_id_key;
create unique index tasks_one_per_request on tasks (request_id, coalesce(user_id, 0));
drop index tasks_one_per_channel;
create unique index tasks_one_per_channel on tasks (channel, coalesce(user_id, 0))
  where completed_at is null and spec ->> 'unique' = 'channel';

-- The lists of the API by channel, and of what ended badly without anybody's wish.
create index tasks_of_channel on tasks (channel, created_at desc, id desc);
create index tasks_dead on tasks (created_at desc, id desc)
  where state in ('FAILED', 'TIMEOUT') and desired = 'run';

-- What somebody decided about a task that ended badly; it is no dead letter from then on.
create table task_settlements (
  task_id     text primary key,
  -- The task that was made instead; null: it was let go.
  requeued_as text,
  actor       text        not null,
  at          timestamptz not null default now()
);
