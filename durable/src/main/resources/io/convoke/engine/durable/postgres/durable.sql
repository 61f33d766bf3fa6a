-- The tables of the durable engine. Idempotent: it also upgrades the tables of an older version.
-- ${schema} is replaced by the quoted name of the schema.
--
-- No foreign keys: they would lock hot rows of other tables with every insert. Columns that are
-- updated (lock_token, locked_until, attempt_count, status) are in no index, and pages keep room,
-- so that those updates stay on their page and touch no index (HOT). History is insert-only. Dead
-- rows are collected early and without pauses: queues are small and busy.
--
-- No index of a queue contains its id except the primary key: where a transaction that is held open
-- keeps millions of dead rows beside few live ones, Postgres overestimates the cost of every index
-- and then, for each single row, reads all of another index that has the id in second place.

create schema if not exists ${schema};

create table if not exists ${schema}.instances (
  instance_id           text primary key,
  orchestration_name    text        not null default '',
  orchestration_version text        not null default '1',
  current_execution_id  bigint      not null default 1,
  parent_instance_id    text,
  custom_status         text,
  custom_status_version bigint      not null default 0,
  created_at            timestamptz not null default now(),
  updated_at            timestamptz not null default now()
);

-- The lock of the instance, and how often it was taken: an epoch that only grows.
alter table ${schema}.instances alter column orchestration_name set default '';
alter table ${schema}.instances add column if not exists lock_token text;
alter table ${schema}.instances add column if not exists locked_until timestamptz;
alter table ${schema}.instances add column if not exists turn bigint not null default 0;
alter table ${schema}.instances set (
  fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);

-- Lists are newest first.
create index if not exists instances_newest on ${schema}.instances (created_at);
drop index if exists ${schema}.instances_created;

-- Instances with past executions, for pruning.
create index if not exists instances_again
  on ${schema}.instances (instance_id) where current_execution_id > 1;

create table if not exists ${schema}.executions (
  instance_id  text        not null,
  execution_id bigint      not null,
  status       text        not null default 'Running'
               check (status in ('Running', 'Completed', 'Failed', 'ContinuedAsNew')),
  output       text,
  started_at   timestamptz not null default now(),
  completed_at timestamptz,
  primary key (instance_id, execution_id)
);
alter table ${schema}.executions set (fillfactor = 80);

create table if not exists ${schema}.history (
  instance_id  text        not null,
  execution_id bigint      not null,
  event_id     bigint      not null,
  event_type   text        not null,
  event_data   text        not null,
  created_at   timestamptz not null default now(),
  primary key (instance_id, execution_id, event_id)
);

create table if not exists ${schema}.orchestrator_queue (
  id            bigint generated always as identity primary key,
  instance_id   text        not null,
  work_item     text        not null,
  visible_at    timestamptz not null default now(),
  lock_token    text,
  locked_until  timestamptz,
  attempt_count integer     not null default 0,
  created_at    timestamptz not null default now()
);
create index if not exists orchestrator_queue_due on ${schema}.orchestrator_queue (visible_at);
drop index if exists ${schema}.orchestrator_queue_visible;
create index if not exists orchestrator_queue_instance
  on ${schema}.orchestrator_queue (instance_id);

create table if not exists ${schema}.worker_queue (
  id            bigint generated always as identity primary key,
  instance_id   text        not null,
  execution_id  bigint      not null default 1,
  activity_id   bigint      not null default 0,
  work_item     text        not null,
  visible_at    timestamptz not null default now(),
  lock_token    text,
  locked_until  timestamptz,
  attempt_count integer     not null default 0,
  created_at    timestamptz not null default now()
);
create index if not exists worker_queue_due on ${schema}.worker_queue (visible_at);
drop index if exists ${schema}.worker_queue_visible;
-- The worker pool of an item; the default pool has the empty name. A pool claims through an index
-- of its own, so the backlog of a full pool does not slow the claims of others.
alter table ${schema}.worker_queue add column if not exists pool text not null default '';
create index if not exists worker_queue_pool_due on ${schema}.worker_queue (pool, visible_at);
create index if not exists worker_queue_instance on ${schema}.worker_queue (instance_id);

alter table ${schema}.orchestrator_queue set (
  fillfactor = 60, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_cost_delay = 0, autovacuum_analyze_scale_factor = 0,
  autovacuum_analyze_threshold = 20000);
alter table ${schema}.worker_queue set (
  fillfactor = 60, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_cost_delay = 0, autovacuum_analyze_scale_factor = 0,
  autovacuum_analyze_threshold = 20000);

-- Each node draws a unique number and holds an advisory lock on it while its session is open. The
-- number begins the lock tokens of the node.
create sequence if not exists ${schema}.node_numbers;

-- Notifies of what a statement made visible: the earliest visible_at in epoch milliseconds, rounded
-- up, because a listener that is woken a fraction early would find nothing. Sessions of the engine
-- notify themselves, once for many commits and outside the writing transaction, and set
-- convoke.announces. Notifying never fails an insert: a channel name that Postgres would refuse (64
-- bytes and more) is made of a hash, and an infinite time is sent as a distant one.
create or replace function ${schema}.notify_orch_work() returns trigger language plpgsql as $$
begin
  if current_setting('convoke.announces', true) is distinct from 'on' then
    perform pg_notify(
      case when octet_length(tg_table_schema) <= 53 then tg_table_schema::text
        else md5(convert_to(tg_table_schema, 'UTF8')) end || '_orch_work',
      ceil(extract(epoch from
        least(greatest(min(visible_at), 'epoch'), '2200-01-01')) * 1000)::bigint::text)
    from changed where lock_token is null
    having count(*) > 0;
  end if;
  return null;
end
$$;

create or replace function ${schema}.notify_worker_work() returns trigger language plpgsql as $$
begin
  if current_setting('convoke.announces', true) is distinct from 'on' then
    perform pg_notify(
      case when octet_length(tg_table_schema) <= 51 then tg_table_schema::text
        else md5(convert_to(tg_table_schema, 'UTF8')) end || '_worker_work',
      ceil(extract(epoch from
        least(greatest(min(visible_at), 'epoch'), '2200-01-01')) * 1000)::bigint::text)
    from changed where lock_token is null
    having count(*) > 0;
  end if;
  return null;
end
$$;

create or replace trigger trg_orch_notify after insert on ${schema}.orchestrator_queue
  referencing new table as changed
  for each statement execute function ${schema}.notify_orch_work();
create or replace trigger trg_orch_notify_update after update on ${schema}.orchestrator_queue
  referencing new table as changed
  for each statement execute function ${schema}.notify_orch_work();
create or replace trigger trg_worker_notify after insert on ${schema}.worker_queue
  referencing new table as changed
  for each statement execute function ${schema}.notify_worker_work();
create or replace trigger trg_worker_notify_update after update on ${schema}.worker_queue
  referencing new table as changed
  for each statement execute function ${schema}.notify_worker_work();
