-- The version of the tables, in one row, and the oldest release that may work on them, by its own
-- version. A node that finds its own version or a newer one alters nothing.
create table if not exists ${schema}.schema_version (
  one             boolean     primary key default true check (one),
  version         integer     not null,
  compatible_from integer     not null,
  installed_at    timestamptz not null default now()
);
