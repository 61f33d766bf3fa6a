-- Whose sound an uploaded part is, and when it began after the recording did; null in a part of the whole meeting. An earlier
-- release takes no such parts apart: it puts them into the sound of the whole meeting.
alter table recording_parts add column participant_id text, add column offset_ms bigint;
