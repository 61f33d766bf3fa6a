-- Limits how many work items of a key run at the same time. Idempotent.
--
-- An item with a key either waits (visible_at is infinity, so no claim and no timer finds it) or
-- has a slot (any other visible_at) until its row is deleted. So a slot survives the death of the
-- node that claimed the item: the next node takes over both. Slots are counted, not stored, and
-- every delete of a row frees one: an ack, a cancellation, an administrator's delete.
--
-- Rows without a key only pay for the conditions of two triggers.

alter table ${schema}.worker_queue add column if not exists limit_key text;
alter table ${schema}.worker_queue add column if not exists limit_most integer;
create index if not exists worker_queue_limited
  on ${schema}.worker_queue (limit_key, visible_at, id) where limit_key is not null;

-- Gives free slots of a key to waiting items in FIFO order, each by its own limit; returns whether
-- any item got one.
--
-- One lock for all keys: transactions that touch several keys, in whatever order, cannot deadlock.
-- Its holder waits for no row lock: a row that another transaction is deleting is skipped.
create or replace function ${schema}.admit_work(wanted text) returns boolean language plpgsql as $$
declare
  taken    bigint;
  first    record;
  admitted boolean := false;
begin
  perform pg_advisory_xact_lock(7301000000000 + '${schema}.worker_queue'::regclass::oid::bigint);
  select count(*) into taken from ${schema}.worker_queue
    where limit_key = wanted and visible_at < 'infinity';
  loop
    select id, limit_most into first from ${schema}.worker_queue
      where limit_key = wanted and visible_at = 'infinity'
      order by id limit 1 for update skip locked;
    exit when not found or taken >= coalesce(first.limit_most, 1);
    update ${schema}.worker_queue set visible_at = now() where id = first.id;
    taken := taken + 1;
    admitted := true;
  end loop;
  return admitted;
end
$$;

-- Runs when an item of a key is inserted or deleted. Sessions that notify themselves do not know
-- what was admitted here, so the trigger always notifies. A row of a foreign writer waits like any
-- other.
create or replace function ${schema}.limited_work() returns trigger language plpgsql as $$
declare
  key text;
begin
  if tg_op = 'DELETE' then
    key := old.limit_key;
  else
    key := new.limit_key;
    if new.visible_at < 'infinity' then
      update ${schema}.worker_queue set visible_at = 'infinity' where id = new.id;
    end if;
  end if;
  if ${schema}.admit_work(key) then
    perform pg_notify(
      case when octet_length(tg_table_schema) <= 51 then tg_table_schema::text
        else md5(convert_to(tg_table_schema, 'UTF8')) end || '_worker_work',
      ceil(extract(epoch from now()) * 1000)::bigint::text);
  end if;
  return null;
end
$$;

create or replace trigger trg_worker_limited after insert on ${schema}.worker_queue
  for each row when (new.limit_key is not null)
  execute function ${schema}.limited_work();
create or replace trigger trg_worker_limited_gone after delete on ${schema}.worker_queue
  for each row when (old.limit_key is not null)
  execute function ${schema}.limited_work();
