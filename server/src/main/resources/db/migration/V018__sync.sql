-- What the sync status needs beyond the columns of seed 003.
alter table sync_status
  -- Whose meeting it is; null for an id that is no meeting of ours.
  add column user_id    bigint,
  -- The version that this row was decided on: the condition of the upsert, so that no writer passes over another.
  add column based_on   bigint      not null default 0,
  -- Which jobs and updates were seen: a repetition changes nothing.
  add column marks      jsonb       not null default '{}',
  -- Since when the present attempt runs.
  add column attempt_at timestamptz,
  -- When a lack of progress was noticed and told; the next update clears it.
  add column stalled_at timestamptz;

update sync_status s set user_id = m.user_id from meetings m where m.id::text = s.meeting_id;

-- What the detector reads: only what can stall and was not told yet.
create index sync_status_running on sync_status (updated_at) where status = 'in_progress' and stalled_at is null;
