-- What ended a moment ago: a Redis that lost its last writes must be told that it is over.
create index tasks_over on tasks (completed_at) where completed_at is not null;
