-- Words with their times, and how sure the transcriber is. Null: it does not say, or the row is of an earlier release.
alter table transcriptions
  add column confidence double precision,
  -- [{"text", "start", "end", "confidence"}], in seconds of the session.
  add column words      jsonb;
