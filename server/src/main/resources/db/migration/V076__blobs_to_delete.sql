-- Blobs of recordings whose keys were taken out of the other rows, until the store has deleted them: it may be away. An
-- earlier release adds none, and leaves a blob that the store does not delete at once to the audit.
create table blobs_to_delete (
  blob_key     text primary key,
  recording_id text not null,
  -- When its deletion failed last; null before.
  failed_at    timestamptz
);
create index blobs_to_delete_recording on blobs_to_delete (recording_id);
