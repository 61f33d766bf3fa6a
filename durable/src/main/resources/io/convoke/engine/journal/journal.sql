-- The table that the journal needs, found by the connection's search path.
-- The sequence behind seq keeps its cache of 1: the order of the journal is the order of drawing.
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
