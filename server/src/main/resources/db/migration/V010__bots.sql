-- What bots need beyond the meeting row of seed 001.

alter table meetings
  -- When the bot was let in: without it no end is "completed".
  add column admitted_at       timestamptz,
  -- Since when desired is 'stop': the base of the deadline of a stop.
  add column stop_requested_at timestamptz,
  -- What the user asked the bot to be: name, language, task, url. No token, no secret in clear.
  add column bot               jsonb not null default '{}';

create index meetings_stop_requested on meetings (stop_requested_at)
  where desired = 'stop' and status in ('requested', 'reserved', 'starting', 'active', 'stopping');
create index meetings_scheduled on meetings (start_at)
  where start_at is not null and status = 'reserved';

-- One row per launch: who makes it, and until when nobody else may try. The lease outlives the slowest launch.
create table bot_launches (
  meeting_id  bigint      not null,
  attempt     integer     not null,
  node        text        not null,
  lease_until timestamptz not null,
  tries       integer     not null default 1,
  primary key (meeting_id, attempt)
);

-- The sweep that one node at a time does, and since when the control plane has been up without a gap: a bot's
-- silence before that moment proves nothing.
create table bot_sweep (
  only_row    boolean primary key default true check (only_row),
  node        text        not null,
  lease_until timestamptz not null,
  swept_at    timestamptz not null,
  up_since    timestamptz not null
);
