-- Parts of recordings that bots upload, until they are put together. An earlier release knows none and fails such a
-- recording at the download; a retry by this one downloads it.
create table recording_parts (
  recording_id text        not null,
  -- The bot's own number, from 0 on.
  part         integer     not null,
  blob_key     text        not null,
  blob_size    bigint      not null,
  created_at   timestamptz not null default now(),
  primary key (recording_id, part)
);
create index recording_parts_blobs on recording_parts (blob_key);
