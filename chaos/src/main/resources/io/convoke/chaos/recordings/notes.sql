-- Notes every committed change of a recording's row, with what else its transaction leaves to be seen.
create schema chaos;

create table chaos.changes (
  seq       bigint generated always as identity,
  txid      bigint not null,
  id        text   not null,
  status    text   not null,
  run       integer not null,
  epoch     bigint not null,
  steps     jsonb  not null,
  words     text[] not null,
  sha256    text,
  documents text[] not null,
  told      jsonb  not null
);

-- While a row is here, a commit that brings this step to its end takes a while, of this recording or of any.
create table chaos.slow (step text not null, recording text);

create function chaos.state(steps jsonb, step text) returns text language sql immutable as $$
  select one ->> 'state' from jsonb_array_elements(steps) one where one ->> 'name' = step
$$;

create function chaos.note(changed text) returns void language sql security definer as $$
  insert into chaos.changes (txid, id, status, run, epoch, steps, words, sha256, documents, told)
  select txid_current(), r.recording_id, r.status, r.run, r.epoch, r.steps,
    coalesce((select array_agg(t.text order by t.start_time, t.id) from convoke.transcriptions t
      where t.meeting_id = r.meeting_id and t.session_uid = 'recording:' || r.recording_id), '{}'),
    r.blob_sha256,
    coalesce((select array_agg(d.step) from convoke.recording_documents d
      where d.recording_id = r.recording_id), '{}'),
    coalesce((select s.steps from convoke.sync_status s where s.meeting_id = r.meeting_id::text), '[]')
  from convoke.recordings r where r.recording_id = changed
$$;

-- Deferred, so that it sees all of its transaction and is undone with it.
create function chaos.moved() returns trigger language plpgsql security definer as $$
begin
  perform chaos.note(new.recording_id);
  if tg_op = 'UPDATE' and exists (
      select from chaos.slow s
      where chaos.state(new.steps, s.step) = 'done' and chaos.state(old.steps, s.step) <> 'done'
        and coalesce(s.recording, new.recording_id) = new.recording_id) then
    -- Longer than it takes to kill all servers.
    perform pg_sleep(1.5);
  end if;
  return null;
end $$;

-- Readers lose lines also in transactions that leave the recording's row as it is.
create function chaos.unsaid() returns trigger language plpgsql security definer as $$
begin
  perform chaos.note(substr(old.session_uid, length('recording:') + 1));
  return null;
end $$;

create constraint trigger note after insert or update on convoke.recordings
  deferrable initially deferred for each row execute function chaos.moved();
create constraint trigger note after delete on convoke.transcriptions
  deferrable initially deferred for each row execute function chaos.unsaid();
