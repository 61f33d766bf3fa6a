-- The files of a recording that consists of one track per participant. An earlier release knows none and fails such a
-- recording at the download, as before.
create table recording_tracks (
  recording_id   text        not null,
  -- From 1 on, in the platform's order.
  track          integer     not null,
  platform_key   text        not null,
  -- The platform's id of the speaker's connection, as in participant_sessions.
  participant_id text,
  -- When the track began, after the recording did.
  offset_ms      bigint      not null default 0,
  -- Null before it is stored, and after retention.
  blob_key       text,
  blob_size      bigint,
  blob_sha256    text,
  created_at     timestamptz not null default now(),
  primary key (recording_id, track)
);
create index recording_tracks_blobs on recording_tracks (blob_key) where blob_key is not null;
