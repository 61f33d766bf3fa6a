-- Tasks of type egress: whose the files are that pods put into the blob store. It outlives the row of the task.
create table egresses (
  task_id    text primary key,
  -- Null: the operator's.
  user_id    bigint,
  room       text        not null,
  kind       text        not null,
  state      text        not null,
  created_at timestamptz not null,
  ended_at   timestamptz,
  -- Of all files, as counted after the end.
  bytes      bigint,
  deleted_at timestamptz
);
create index egresses_of_room on egresses (room, created_at desc, task_id desc);
create index egresses_of_user on egresses (user_id) where deleted_at is null;
create index egresses_ended on egresses (ended_at) where deleted_at is null and ended_at is not null;
create index egresses_deleted on egresses (deleted_at) where deleted_at is not null;
