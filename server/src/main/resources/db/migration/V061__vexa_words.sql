-- What Vexa's image and its WhisperLive say through Redis. Tables are added alone.

-- How far a stream was read; moved in the transaction that stores what was read.
create table stream_positions (
  stream   text primary key,
  position text not null
);

-- A connection to WhisperLive, whose times count from its own beginning: a bot may make several.
create table vexa_sessions (
  session_uid text        not null,
  uid         text        not null,
  meeting_id  bigint      not null references meetings,
  began       timestamptz not null,
  primary key (session_uid, uid)
);

-- Who began or stopped to speak, in milliseconds of such a connection.
create table vexa_speakers (
  session_uid text    not null,
  uid         text    not null,
  at_ms       bigint  not null,
  starts      boolean not null,
  name        text    not null,
  meeting_id  bigint  not null references meetings,
  primary key (session_uid, uid, at_ms, starts, name)
);

-- Where a segment of the image is in our transcript: it may name its speaker later, or take it back.
create table vexa_segments (
  session_uid text             not null,
  segment_id  text             not null,
  meeting_id  bigint           not null references meetings,
  start_time  double precision not null,
  speaker     text             not null,
  primary key (session_uid, segment_id)
);
