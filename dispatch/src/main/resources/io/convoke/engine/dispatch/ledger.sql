-- The ledger of dispatch, as PostgresTaskStore needs it. The server's migrations make the same tables.
create table tasks (
  id           text primary key,
  request_id   text        not null,
  state        text        not null check (state in ('PENDING', 'PROCESSING', 'SUCCESS', 'FAILED', 'TIMEOUT')),
  region       text,
  channel      text        not null,
  -- What was asked for, with its secrets sealed: id, type, action, channel, request_id, region, user_id, unique, payload.
  spec         jsonb       not null,
  attempt      integer     not null default 0,
  -- Attempts that failed in a row.
  tries        integer     not null default 0,
  desired      text        not null default 'run' check (desired in ('run', 'stop')),
  error        text        not null default '',
  user_id      bigint,
  created_at   timestamptz not null default now(),
  -- Since when it waits; later than now: when its next try may begin.
  pending_at   timestamptz not null default now(),
  completed_at timestamptz,
  -- The last move that was heard of; older news changes nothing.
  move         bigint      not null default 0,
  pod_id       text,
  worker_id    integer,
  processed_at timestamptz,
  -- When Redis was first heard to have it; null: it may have to be told.
  queued_at    timestamptz
);
-- Requests and channels are their owner's own.
create unique index tasks_one_per_request on tasks (request_id, coalesce(user_id, 0));
create unique index tasks_one_per_channel on tasks (channel, coalesce(user_id, 0))
  where completed_at is null and spec ->> 'unique' = 'channel';
-- What a rebuild reads, page by page.
create index tasks_open on tasks (id) where completed_at is null;
create index tasks_unqueued on tasks (created_at) where completed_at is null and queued_at is null;
-- Those that are to stop: Redis may not have heard of it.
create index tasks_to_stop on tasks (id) where completed_at is null and desired = 'stop';
-- What a rebuild reads of those that ended a moment ago.
create index tasks_over on tasks (completed_at) where completed_at is not null;

-- What each place holds, from one comparison with this ledger to the next: moves of an earlier one are refused.
create table dispatch_generations (
  place      text primary key,
  generation text not null
);
