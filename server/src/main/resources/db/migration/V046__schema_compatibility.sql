-- Older releases run on newer tables, because migrations only add; so a release can be rolled back.
-- A migration that breaks older releases raises compatible_from to the number of the migration
-- that a release must at least contain.
create table convoke.schema_compatibility (
  one             boolean primary key default true check (one),
  compatible_from integer not null
);
insert into convoke.schema_compatibility (compatible_from) values (43);
