-- The transcripts of the pieces of a long recording, until the whole is stored. A retry goes on after the last of them.
create table recording_pieces (
  recording_id text        not null,
  -- 0 for a recording without tracks.
  track        integer     not null,
  piece        integer     not null,
  -- The audio, the transcriber and the cut that it is of; with another one it is void.
  plan         text        not null,
  segments     jsonb       not null,
  created_at   timestamptz not null default now(),
  primary key (recording_id, track, piece)
);
