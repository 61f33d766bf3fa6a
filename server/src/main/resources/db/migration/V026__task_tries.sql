-- Attempts of a task that failed in a row: how long its next try waits, and when it is given up, survive a Redis
-- that forgets.
alter table tasks add column tries integer not null default 0;
