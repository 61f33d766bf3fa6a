-- What a model said of each part of a transcript, by a hash of the part, until the run ends: a retry asks for the others alone.
alter table meeting_summaries add column parts jsonb not null default '{}';
