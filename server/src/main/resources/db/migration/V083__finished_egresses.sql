-- An egress that ended without its result is finished by other tasks: how many there were, and how many of them have ended
-- since its files were counted.
alter table egresses add column finish_tries integer not null default 0;
alter table egresses add column recount integer not null default 0;

-- Those whose files are still to be counted, in the order in which they ended.
create index egresses_uncounted on egresses (ended_at)
  where deleted_at is null and ended_at is not null and (bytes is null or recount > 0);

create index egresses_unfinished on egresses (finish_tries, ended_at) where deleted_at is null and finish_tries > 0;
