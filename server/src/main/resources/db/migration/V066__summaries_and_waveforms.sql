-- Summaries of meetings: the last run, and the text of the last run that was done.
create table meeting_summaries (
  meeting_id bigint      primary key references meetings,
  run        integer     not null default 1,
  status     text        not null default 'waiting'
    check (status in ('waiting', 'running', 'done', 'failed', 'empty', 'deleted')),
  attempts   integer     not null default 0,
  text       text,
  -- [{"mark", "segment_id", "start"}]; a segment that is deleted later stays here until its recording is deleted.
  citations  jsonb       not null default '[]',
  -- Lines that the text cited and that do not exist.
  rejected   integer     not null default 0,
  summarizer text,
  error      text,
  updated_at timestamptz not null default now()
);

-- The loudness of a recording over time, for a drawing: a byte each, of equal lengths of time.
create table recording_peaks (
  recording_id text        primary key,
  -- SHA-256 of the audio that they are of.
  sha256       text        not null,
  seconds      double precision not null,
  -- Whether the file has pictures too.
  video        boolean     not null,
  peaks        bytea       not null,
  created_at   timestamptz not null default now()
);
