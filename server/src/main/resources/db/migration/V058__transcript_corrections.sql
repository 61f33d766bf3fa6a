-- Corrections of transcripts and names of speakers. Columns and tables are added alone: a segment keeps what was reported,
-- by which a repeated report is recognised, and the release before shows that.
alter table transcriptions
  -- Instead of the text and the speaker; the empty text is no speaker.
  add column shown_text    text,
  add column shown_speaker text;

-- Names of speakers in one meeting, by what is reported: also for segments that follow.
create table transcript_speakers (
  meeting_id bigint not null references meetings,
  speaker    text   not null,
  name       text   not null,
  primary key (meeting_id, speaker)
);

create table transcript_changes (
  id         bigint generated always as identity primary key,
  meeting_id bigint      not null references meetings,
  -- Null: all segments of a speaker.
  segment_id bigint      references transcriptions on delete cascade,
  at         timestamptz not null default clock_timestamp(),
  -- As in the audit journal: user:7.
  actor      text        not null,
  field      text        not null check (field in ('text', 'speaker')),
  before     text,
  after      text
);
create index transcript_changes_of_meeting on transcript_changes (meeting_id, id);
create index transcript_changes_of_segment on transcript_changes (segment_id) where segment_id is not null;

create or replace function convoke.index_transcript() returns trigger language plpgsql as $$
begin
  insert into convoke.transcript_words (segment_id, user_id, keys)
  select new.id, m.user_id,
    convoke.transcript_words_of(new.id, m.user_id, coalesce(new.shown_text, new.text), new.language)
  from convoke.meetings m where m.id = new.meeting_id
  on conflict (segment_id) do update set keys = excluded.keys;
  return null;
end
$$;
drop trigger transcriptions_words on transcriptions;
create trigger transcriptions_words after insert or update of text, shown_text, language, completed on transcriptions
  for each row when (new.completed) execute function convoke.index_transcript();
