-- What each place of dispatch holds, from one comparison with the ledger to the next. A server that slept over
-- such a comparison must not write down what it read before.
create table dispatch_generations (
  place      text primary key,
  generation text not null
);

-- Those that are to stop: Redis may not have heard of it.
create index tasks_to_stop on tasks (id) where completed_at is null and desired = 'stop';
