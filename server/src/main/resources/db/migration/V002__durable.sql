-- Seed 002's tables, queues, triggers and channels, in a schema of their own: what a foreign writer
-- inserts by plain SQL is notified like any other row. No foreign key touches a queue.

create table durable.instances (
  instance_id          text primary key,
  orchestration_name   text        not null,
  orchestration_version text       not null default '1',
  current_execution_id bigint      not null default 1,
  parent_instance_id   text,
  custom_status        text,
  custom_status_version bigint     not null default 0,
  created_at           timestamptz not null default now(),
  updated_at           timestamptz not null default now()
);

create table durable.executions (
  instance_id  text        not null,
  execution_id bigint      not null,
  status       text        not null default 'Running'
               check (status in ('Running', 'Completed', 'Failed', 'ContinuedAsNew')),
  output       text,
  started_at   timestamptz not null default now(),
  completed_at timestamptz,
  primary key (instance_id, execution_id)
);

create table durable.history (
  instance_id  text        not null,
  execution_id bigint      not null,
  event_id     bigint      not null,
  event_type   text        not null,
  event_data   text        not null,
  created_at   timestamptz not null default now(),
  primary key (instance_id, execution_id, event_id)
);

create table durable.orchestrator_queue (
  id            bigint generated always as identity primary key,
  instance_id   text        not null,
  work_item     text        not null,
  visible_at    timestamptz not null default now(),
  lock_token    text,
  locked_until  timestamptz,
  attempt_count integer     not null default 0,
  created_at    timestamptz not null default now()
);
create index orchestrator_queue_visible on durable.orchestrator_queue (visible_at, id);
create index orchestrator_queue_instance on durable.orchestrator_queue (instance_id);

create table durable.worker_queue (
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
create index worker_queue_visible on durable.worker_queue (visible_at, id);

-- The payload is the earliest visible_at of the statement, in epoch milliseconds, rounded up: a
-- listener that is woken a fraction early would find nothing. A channel name that Postgres would
-- refuse (64 bytes and more) is cut, so that notifying never fails an insert.
create function durable.notify_orch_work() returns trigger language plpgsql as $$
begin
  perform pg_notify(
    left(tg_table_schema, 53) || '_orch_work',
    ceil(extract(epoch from min(visible_at)) * 1000)::bigint::text)
  from changed
  having count(*) > 0;
  return null;
end
$$;

create function durable.notify_worker_work() returns trigger language plpgsql as $$
begin
  perform pg_notify(
    left(tg_table_schema, 51) || '_worker_work',
    ceil(extract(epoch from min(visible_at)) * 1000)::bigint::text)
  from changed
  having count(*) > 0;
  return null;
end
$$;

create trigger trg_orch_notify after insert on durable.orchestrator_queue
  referencing new table as changed for each statement execute function durable.notify_orch_work();
create trigger trg_worker_notify after insert on durable.worker_queue
  referencing new table as changed for each statement execute function durable.notify_worker_work();
