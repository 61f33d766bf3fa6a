-- Tables that PostgresTaskStore needs. The server's migrations create the same tables, and a view for the last one.
create table tasks (
  id           text primary key,
  request_id   text        not null,
  state        text        not null check (state in ('PENDING', 'PROCESSING', 'SUCCESS', 'FAILED', 'TIMEOUT')),
  region       text,
  channel      text        not null,
  -- The request, its secrets sealed: id, type, action, channel, request_id, region, user_id,
  -- unique, payload.
  spec         jsonb       not null,
  attempt      integer     not null default 0,
  -- Consecutive failed attempts.
  tries        integer     not null default 0,
  desired      text        not null default 'run' check (desired in ('run', 'stop')),
  error        text        not null default '',
  user_id      bigint,
  created_at   timestamptz not null default now(),
  -- Start of the current wait; in the future during a retry backoff.
  pending_at   timestamptz not null default now(),
  completed_at timestamptz,
  -- Number of the last recorded transition; transitions with smaller numbers are ignored.
  move         bigint      not null default 0,
  pod_id       text,
  worker_id    integer,
  processed_at timestamptz,
  -- When Redis first reported the task; null until then.
  queued_at    timestamptz
);
-- Request ids and channels are scoped to their owner.
create unique index tasks_one_per_request on tasks (request_id, coalesce(user_id, 0));
create unique index tasks_one_per_channel on tasks (channel, coalesce(user_id, 0))
  where completed_at is null and spec ->> 'unique' = 'channel';
-- Read by a rebuild, page by page.
create index tasks_open on tasks (id) where completed_at is null;
create index tasks_unqueued on tasks (created_at) where completed_at is null and queued_at is null;
-- Stop requests that Redis may not have.
create index tasks_to_stop on tasks (id) where completed_at is null and desired = 'stop';
-- Ended tasks, for their retention.
create index tasks_over on tasks (completed_at) where completed_at is not null;

-- The current generation of each key space; transitions of earlier generations are refused.
create table dispatch_generations (
  place      text primary key,
  generation text not null
);

-- Ids that no new task gets, although tasks may have them no more: something else is kept under them.
create table task_ids_taken (
  id text primary key
);
