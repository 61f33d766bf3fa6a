-- What the ledger of dispatch needs beyond the first columns; engine.dispatch's ledger.sql is the whole table.
alter table tasks
  -- The last move that was heard of; older news changes nothing.
  add column move         bigint not null default 0,
  add column pod_id       text,
  add column worker_id    integer,
  add column processed_at timestamptz,
  -- When Redis was first heard to have it; null: it may have to be told.
  add column queued_at    timestamptz;

-- What a rebuild reads, page by page.
create index tasks_open on tasks (id) where completed_at is null;
create index tasks_unqueued on tasks (created_at) where completed_at is null and queued_at is null;
-- The lists of the API.
create index tasks_of_user on tasks (user_id, created_at desc, id desc);
create index tasks_newest on tasks (created_at desc, id desc);
