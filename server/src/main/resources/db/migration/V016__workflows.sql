-- Whose a workflow is: what a user may see of the engine's instances. Not written by the engine, so no key of its tables.
create table workflow_owners (
  instance_id text        primary key,
  user_id     bigint      not null references users,
  meeting_id  bigint      references meetings,
  created_at  timestamptz not null default now()
);
create index workflow_owners_user on workflow_owners (user_id, created_at);

alter table meetings add column transcript_closed_at timestamptz;
