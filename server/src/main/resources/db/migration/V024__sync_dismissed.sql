-- The version of a sync that failed or stands still which an operator has seen and lets be; a newer one is a problem again.
alter table sync_status add column dismissed bigint;
