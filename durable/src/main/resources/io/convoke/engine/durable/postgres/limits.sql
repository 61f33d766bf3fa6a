-- Limits how many work items of a key run at the same time. Idempotent.
--
-- An item with a key either waits (visible_at is infinity, so no claim and no timer finds it) or
-- has a slot (any other visible_at) until its row is deleted. So a slot survives the death of the
-- node that claimed the item: the next node takes over both. Slots are counted, not stored, and
-- every delete of a row frees one: an ack, a cancellation, an administrator's delete.
--
-- Rows without a key only pay for the conditions of two triggers, whose functions are in slots.sql.

alter table ${schema}.worker_queue add column if not exists limit_key text;
alter table ${schema}.worker_queue add column if not exists limit_most integer;
create index if not exists worker_queue_limited
  on ${schema}.worker_queue (limit_key, visible_at, id) where limit_key is not null;

create or replace trigger trg_worker_limited after insert on ${schema}.worker_queue
  for each row when (new.limit_key is not null)
  execute function ${schema}.limited_work();
create or replace trigger trg_worker_limited_gone after delete on ${schema}.worker_queue
  for each row when (old.limit_key is not null)
  execute function ${schema}.limited_work();
