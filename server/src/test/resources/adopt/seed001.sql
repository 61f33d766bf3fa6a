-- A dump of seed 001's shape as an installation leaves it: every status, times without a zone, unset values, several live
-- rows of one meeting, the same segment twice.
create schema old;
create table old.users (
  id serial primary key, email varchar(255), name varchar(100), image_url text,
  max_concurrent_bots integer default 1, created_at timestamp default now(), data jsonb default '{}',
  unique (email));
create table old.meetings (
  id serial primary key, user_id integer references old.users, platform varchar(100) not null,
  platform_specific_id varchar(255), status varchar(50) not null default 'requested', bot_container_id varchar(255),
  start_time timestamp, end_time timestamp, data jsonb default '{}', created_at timestamp default now(),
  updated_at timestamp default now());
create table old.meeting_sessions (
  id serial primary key, meeting_id integer not null references old.meetings, session_uid varchar not null,
  session_start_time timestamptz not null default now(), unique (meeting_id, session_uid));
create table old.transcriptions (
  id serial primary key, meeting_id integer not null references old.meetings, start_time float not null,
  end_time float not null, text text not null, speaker varchar(255), language varchar(10), session_uid varchar,
  created_at timestamp);
-- Its own affair; not ours to read.
create table old.api_tokens (id serial primary key, token varchar(255), user_id integer);

insert into old.users (id, email, name, image_url, max_concurrent_bots, created_at, data) values
  (1, 'ada@example.org', 'Ada', 'https://example.org/a.png', 3, '2025-03-01 09:00:00', '{"plan": "pro"}'),
  (2, null, null, null, null, null, null),
  (7, 'Bo@example.org', 'Bo', null, 0, '2025-03-02 09:00:00', '["odd"]');
insert into old.meetings
  (id, user_id, platform, platform_specific_id, status, bot_container_id, start_time, end_time, data, created_at, updated_at)
values
  (10, 1, 'google_meet', 'abc-defg-hij', 'requested', null, null, null, '{}', '2025-04-01 10:00:00', '2025-04-01 10:00:00'),
  (11, 1, 'zoom', '111', 'reserved', null, null, null, '{}', '2025-04-01 10:01:00', '2025-04-01 10:01:00'),
  (12, 1, 'teams', '222', 'starting', 'c0ffee', null, null, '{}', '2025-04-01 10:02:00', '2025-04-01 10:02:30'),
  (13, 1, 'google_meet', 'klm-nopq-rst', 'active', 'c0ffee13', '2025-04-01 10:03:10', null, '{"name": "Weekly"}',
   '2025-04-01 10:03:00', '2025-04-01 10:05:00'),
  (14, 1, 'google_meet', 'klm-nopq-rst', 'active', 'c0ffee14', '2025-04-01 10:04:10', null, null, '2025-04-01 10:04:00', null),
  (15, 1, 'zoom', '333', 'stopping', 'c0ffee15', '2025-04-01 10:05:00', null, '{}', '2025-04-01 10:05:00', '2025-04-01 10:30:00'),
  (16, 1, 'zoom', '333', 'completed', 'c0ffee16', '2025-04-01 11:00:00', '2025-04-01 12:00:00', '{"notes": "x"}',
   '2025-04-01 10:59:00', '2025-04-01 12:00:00'),
  (17, 2, 'zoom', null, 'failed', null, null, '2025-04-01 11:00:00', 'null', '2025-04-01 10:59:00', '2025-04-01 11:00:00'),
  (18, 7, 'zoom', '444', 'error', 'c0ffee18', '2025-04-01 11:00:00', '2025-04-01 11:00:05', '{}', null, '2025-04-01 11:00:05');
insert into old.meeting_sessions (id, meeting_id, session_uid, session_start_time) values
  (5, 13, '11111111-1111-4111-8111-111111111111', '2025-04-01 10:03:10+00'),
  (6, 13, '22222222-2222-4222-8222-222222222222', '2025-04-01 10:04:00+00'),
  (7, 16, 'google-hot-debug', '2025-04-01 11:00:00+00');
insert into old.transcriptions (id, meeting_id, start_time, end_time, text, speaker, language, session_uid, created_at) values
  (100, 16, 0.5, 2.25, 'Good morning', 'Ada', 'en', 'google-hot-debug', '2025-04-01 11:00:03'),
  (101, 16, 0.5, 2.25, 'Good morning, all', 'Ada', 'en', 'google-hot-debug', null),
  (102, 13, 3, 4, 'Hm', null, null, null, '2025-04-01 10:03:20');
alter sequence old.meetings_id_seq restart with 19;
