-- Whether the first request of a key has committed something: then it does not run again, also if its answer was never stored.
-- An earlier release neither sets nor reads it.
alter table idempotency_keys add column committed boolean not null default false;
