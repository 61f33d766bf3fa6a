-- Recordings, from the first word about one to its transcript and its note in the CRM.
alter table recordings
  add column platform         text        not null default 'daily',
  add column kind             text        not null default 'cloud',
  -- The platform's ids of the meeting that was recorded, and of this recording among several of one room.
  add column session_id       text,
  add column instance_id      text,
  add column user_id          bigint references users,
  -- Meetings that it may belong to while nobody has said which.
  add column candidates       bigint[]    not null default '{}',
  -- Which way found it: webhook, listing.
  add column found_by         text        not null default 'webhook',
  add column reason           text,
  add column state_entered_at timestamptz not null default now(),
  -- Counts the times that work on it was begun; part of the workflow's name.
  add column run              integer     not null default 0,
  -- Raised with each claim of a step, compared at its commit: the fence of the work.
  add column epoch            bigint      not null default 0,
  -- When the platform last told how it stands.
  add column told_at          timestamptz not null default now(),
  -- Whether more words of it may come.
  add column transcript_open  boolean     not null default true,
  -- Whether all words of it are there.
  add column transcribed      boolean     not null default false,
  add column blob_key         text,
  add column blob_size        bigint,
  add column blob_sha256      text,
  add column deleted_at       timestamptz;

create index recordings_of_user on recordings (user_id, created_at desc, recording_id desc) where deleted_at is null;
create index recordings_newest on recordings (created_at desc, recording_id desc) where deleted_at is null;
-- What the listing asks about one by one.
create index recordings_waiting on recordings (status, told_at) where status in ('in_progress', 'unmatched');
create index recordings_blobs on recordings (blob_key) where blob_key is not null;
create index recordings_candidates on recordings using gin (candidates) where status = 'unmatched';

-- How far the listing of an account has come. One node lists at a time.
create table recording_listing (
  platform   text primary key,
  -- Everything that began before was seen, except what still runs.
  seen_until timestamptz not null,
  listed_at  timestamptz
);

-- What a step of the sync made for the next one.
create table recording_documents (
  recording_id text        not null,
  step         text        not null,
  run          integer     not null,
  body         jsonb       not null,
  created_at   timestamptz not null default now(),
  primary key (recording_id, step)
);

-- Meetings of a room, over or not: where a recording may belong.
create index meetings_of_room on meetings (platform, platform_specific_id, id);
