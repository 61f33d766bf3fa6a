-- Keys with scopes, an end and their last use; users that may be disabled; a journal of what operators and keys
-- changed. Columns and tables are added alone, so that the release before runs on this schema: it ignores scopes,
-- ends and disabled users until its last server is gone. And indexes of what quotas count.

alter table api_tokens
  -- Null: all but admin.
  add column scopes       text[],
  add column expires_at   timestamptz,
  -- Written once a minute at most.
  add column last_used_at timestamptz;

alter table users
  -- Since when none of their keys and JWTs is good; null: they are.
  add column disabled_at timestamptz;

-- Append only. No foreign keys: what it tells about may be deleted.
create table audit_log (
  id      bigint generated always as identity primary key,
  at      timestamptz not null default clock_timestamp(),
  -- The operation, as the OpenAPI document names it.
  action  text        not null,
  -- admin, operator:7 or user:7.
  actor   text        not null,
  key_id  bigint,
  address text        not null,
  target  text        not null,
  before  jsonb,
  after   jsonb
);
create index audit_log_at on audit_log (at);

-- What the quotas count.
create index tasks_open_of_user on tasks (user_id) where completed_at is null;
create index meetings_tracked_of_user on meetings (user_id) where tracked and status = 'active';
