-- What a database that is taken over may hold and what we would not write: users without an email, several live bots in
-- one meeting, the same segment twice. Such rows are marked and kept as they were.
alter table users alter column email drop not null;

alter table meetings add column adopted boolean not null default false;
drop index meetings_one_live_bot;
create unique index meetings_one_live_bot on meetings (user_id, platform, platform_specific_id)
  where not tracked and not adopted and status in ('requested', 'reserved', 'starting', 'active', 'stopping');

alter table transcriptions add column adopted boolean not null default false;
alter table transcriptions drop constraint transcriptions_meeting_id_session_uid_start_time_speaker_key;
create unique index transcriptions_segment on transcriptions (meeting_id, session_uid, start_time, speaker)
  where not adopted;

create table adoptions (
  schema_name text        primary key,
  adopted_at  timestamptz not null default now(),
  counts      jsonb       not null
);
