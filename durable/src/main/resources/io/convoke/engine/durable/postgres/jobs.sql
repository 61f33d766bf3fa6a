-- Jobs are work items of pools that are named job:{name}. Idempotent.
--
-- Rows without a key or tags are in neither of the indexes.

alter table ${schema}.worker_queue add column if not exists unique_key text;
alter table ${schema}.worker_queue add column if not exists tags text[];
create unique index if not exists worker_queue_unique
  on ${schema}.worker_queue (pool, unique_key) where unique_key is not null;
create index if not exists worker_queue_tags
  on ${schema}.worker_queue using gin (tags) where tags is not null;

-- Jobs whose last attempt failed.
create table if not exists ${schema}.dead_jobs (
  id          text primary key,
  name        text        not null,
  work_item   text        not null,
  error       text        not null,
  attempts    integer     not null,
  unique_key  text,
  limit_key   text,
  limit_most  integer,
  tags        text[],
  enqueued_at timestamptz not null,
  died_at     timestamptz not null default now()
);
create index if not exists dead_jobs_newest on ${schema}.dead_jobs (died_at, id);

-- The jobs that are not done: waiting, scheduled or running.
create or replace view ${schema}.open_jobs as
  select instance_id as id, substr(pool, 5) as name,
         case when lock_token is not null and locked_until > now() then 'running'
              when visible_at > now() and visible_at < 'infinity' then 'scheduled'
              else 'waiting' end as state,
         work_item, attempt_count as attempts, unique_key, tags, created_at as enqueued_at,
         nullif(visible_at, 'infinity') as run_at, id as position
  from ${schema}.worker_queue where pool like 'job:%';
