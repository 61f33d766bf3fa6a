-- A draft is replaced by what its session reports later; all that is stored so far is completed.
alter table transcriptions add column completed boolean not null default true;

-- Since V014 the one index leaves out adopted rows, so neither a batch nor a reader could use it.
create index transcriptions_meeting on transcriptions (meeting_id, session_uid, start_time);
