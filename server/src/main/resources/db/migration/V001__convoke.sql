-- The tables of Convoke. Columns named by seed 001's ER diagram keep their names and types there.
-- Every time is timestamptz; every state is text that a check constraint closes.

create table users (
  id                  bigint generated always as identity primary key,
  email               text        not null,
  name                text,
  image_url           text,
  -- NULL is unlimited, 0 is none.
  max_concurrent_bots integer     default 1 check (max_concurrent_bots >= 0),
  created_at          timestamptz not null default now(),
  data                jsonb       not null default '{}'
);
create unique index users_email on users (lower(email));

create table api_tokens (
  id         bigint generated always as identity primary key,
  user_id    bigint      not null references users,
  name       text,
  -- SHA-256 of the token; the token itself is shown once and kept nowhere.
  token_hash bytea       not null unique,
  created_at timestamptz not null default now(),
  revoked_at timestamptz
);
create index api_tokens_user on api_tokens (user_id);

create table meetings (
  id                   bigint generated always as identity primary key,
  user_id              bigint      not null references users,
  platform             text        not null,
  platform_specific_id text        not null,
  status               text        not null,
  -- The launcher's handle of the bot; null until launched and for tracked meetings.
  bot_container_id     text,
  start_time           timestamptz,
  end_time             timestamptz,
  data                 jsonb       not null default '{}',
  created_at           timestamptz not null default now(),
  -- Of a live bot: its last sign of life. Nothing else touches it.
  updated_at           timestamptz not null default now(),

  -- Whether presence is kept without a bot of ours.
  tracked              boolean     not null default false,
  -- How many sessions are open, derived from participant_sessions in the transaction that writes them.
  num_clients          integer     not null default 0 check (num_clients >= 0),

  -- When the status became what it is: the base of every deadline.
  state_entered_at     timestamptz not null default now(),
  -- What the user wants: run, or stop. A stop dominates whatever the bot reports.
  desired              text        not null default 'run' check (desired in ('run', 'stop')),
  connection_id        text unique,
  attempt              integer     not null default 1,
  -- Grows with every applied transition; guards the next one.
  version              bigint      not null default 0,
  start_at             timestamptz,
  check (status in ('requested', 'reserved', 'starting', 'active', 'stopping', 'completed', 'failed', 'error'))
);
-- One live bot of a user in a meeting, whatever the code does.
create unique index meetings_one_live_bot on meetings (user_id, platform, platform_specific_id)
  where not tracked and status in ('requested', 'reserved', 'starting', 'active', 'stopping');
create unique index meetings_one_tracked on meetings (user_id, platform, platform_specific_id)
  where tracked and status = 'active';
-- What admission counts.
create index meetings_live_of_user on meetings (user_id)
  where not tracked and status in ('requested', 'reserved', 'starting', 'active', 'stopping');
-- What the sweeper reads: only rows that can be due.
create index meetings_live_bots on meetings (status, state_entered_at)
  where not tracked and status in ('requested', 'reserved', 'starting', 'active', 'stopping');
-- Rooms with live meetings: the map that presence keeps in Redis is rebuilt from here.
create index meetings_live_rooms on meetings (platform, platform_specific_id)
  where status not in ('completed', 'failed', 'error');
create index meetings_of_user on meetings (user_id, id);

create table meeting_sessions (
  id                 bigint generated always as identity primary key,
  meeting_id         bigint      not null references meetings,
  session_uid        text        not null unique,
  session_start_time timestamptz not null default now(),
  attempt            integer     not null default 1
);
create index meeting_sessions_meeting on meeting_sessions (meeting_id);

create table bot_commands (
  id            text primary key,
  meeting_id    bigint      not null references meetings,
  connection_id text        not null,
  action        text        not null check (action in ('leave', 'reconfigure')),
  payload       jsonb       not null default '{}',
  created_at    timestamptz not null default clock_timestamp(),
  acked_at      timestamptz
);
create index bot_commands_pending on bot_commands (connection_id, created_at) where acked_at is null;

create table transcriptions (
  id          bigint generated always as identity primary key,
  meeting_id  bigint           not null references meetings,
  start_time  double precision not null,
  end_time    double precision not null,
  text        text             not null,
  speaker     text,
  language    text,
  session_uid text,
  created_at  timestamptz      not null default now(),
  -- A segment that a bot sends again is the same segment.
  unique (meeting_id, session_uid, start_time, speaker)
);

create table participant_sessions (
  meeting_id   bigint      not null references meetings,
  -- The platform's id of one connection; a rejoin under the same id is a new interval.
  session_id   text        not null,
  user_id      text,
  user_name    text,
  joined_at    timestamptz not null,
  left_at      timestamptz,
  -- Who told us: webhook, poll, bot.
  join_source  text        not null,
  leave_source text,
  -- The last evidence that the session was there, and since when snapshots miss it.
  last_seen_at timestamptz not null,
  absent_since timestamptz,
  -- Present without showing in snapshots, so absence proves nothing.
  hidden       boolean     not null default false,
  primary key (meeting_id, session_id, joined_at),
  check (left_at is null or left_at >= joined_at)
);
create unique index participant_sessions_open on participant_sessions (meeting_id, session_id)
  where left_at is null;

create table presence (
  meeting_id bigint primary key references meetings,
  -- Raised with every claim, compared at every commit: the fence of presence writes.
  epoch      bigint      not null default 0,
  -- The instant that the sessions are proven for, and by what.
  as_of      timestamptz,
  source     text,
  polled_at  timestamptz,
  -- When the next poll is due if Redis cannot say it.
  due_at     timestamptz not null default now()
);
create index presence_due on presence (due_at);

-- Webhook events already applied; a repeated one changes nothing. Pruned by age.
create table presence_events (
  event_id   text primary key,
  applied_at timestamptz not null default now()
);
create index presence_events_age on presence_events (applied_at);

-- Webhooks that arrived while Redis was away.
create table webhook_inbox (
  id          bigint generated always as identity primary key,
  source      text        not null,
  body        bytea       not null,
  received_at timestamptz not null default clock_timestamp()
);

-- Authentic messages that nobody could use, kept for people.
create table dead_letters (
  id         bigint generated always as identity primary key,
  source     text        not null,
  reason     text        not null,
  body       bytea       not null,
  arrived_at timestamptz not null default now()
);

create table idempotency_keys (
  scope       text        not null,
  key         text        not null,
  fingerprint bytea       not null,
  created_at  timestamptz not null default clock_timestamp(),
  -- In flight until answered; a claim that died is free again after this.
  claimed_until timestamptz not null,
  status      integer,
  headers     jsonb,
  body        bytea,
  primary key (scope, key)
);
create index idempotency_keys_age on idempotency_keys (created_at);

create table recordings (
  recording_id text primary key,
  meeting_id   bigint references meetings,
  status       text        not null,
  steps        jsonb       not null default '[]',
  room_name    text,
  start_time   timestamptz,
  duration_s   integer,
  data         jsonb       not null default '{}',
  version      bigint      not null default 0,
  created_at   timestamptz not null default now(),
  updated_at   timestamptz not null default now(),
  check (status in ('in_progress', 'ready', 'processing', 'done', 'failed', 'cancelled', 'empty', 'given_up', 'unmatched'))
);
create index recordings_meeting on recordings (meeting_id);

create table sync_status (
  meeting_id     text primary key,
  status         text        not null check (status in ('in_progress', 'success', 'failure')),
  updated_at     timestamptz not null default now(),
  last_step      text,
  attempts       integer     not null default 0,
  error_message  text,
  version        bigint      not null default 1,
  last_synced_by text,
  job_id         text,
  attempt        bigint,
  seq            bigint,
  steps          jsonb       not null default '[]'
);
create index sync_status_problems on sync_status (updated_at) where status <> 'success';

create table tasks (
  id           text primary key,
  request_id   text        not null unique,
  state        text        not null check (state in ('PENDING', 'PROCESSING', 'SUCCESS', 'FAILED', 'TIMEOUT')),
  region       text,
  channel      text        not null,
  spec         jsonb       not null,
  attempt      integer     not null default 0,
  desired      text        not null default 'run' check (desired in ('run', 'stop')),
  error        text        not null default '',
  user_id      bigint,
  created_at   timestamptz not null default now(),
  pending_at   timestamptz not null default now(),
  completed_at timestamptz
);
create index tasks_live on tasks (state, region, pending_at) where completed_at is null;
create unique index tasks_one_per_channel on tasks (channel)
  where completed_at is null and spec ->> 'unique' = 'channel';

-- The journal: append only, in the transaction that it tells about.
create table events (
  seq     bigint generated always as identity primary key,
  type    text        not null,
  subject text        not null,
  user_id bigint,
  at      timestamptz not null default clock_timestamp(),
  data    jsonb       not null default '{}'
);
create index events_subject on events (subject, seq);
create index events_user on events (user_id, seq) where user_id is not null;
create index events_type on events (type, seq);
