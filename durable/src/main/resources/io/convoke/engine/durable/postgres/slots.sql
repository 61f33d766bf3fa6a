-- The functions of the triggers of limits.sql, which says what a slot is. They alter no table, so
-- each upgrade replaces them. Idempotent.

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
-- what was admitted here, so the trigger always notifies, and its payload begins with a plus sign,
-- by which a node knows that it did not announce this itself. A row of a foreign writer waits like
-- any other.
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
      '+' || ceil(extract(epoch from now()) * 1000)::bigint);
  end if;
  return null;
end
$$;
