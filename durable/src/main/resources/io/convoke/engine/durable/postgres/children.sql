-- The sub-workflows of an instance. Idempotent.
--
-- A row without a parent is not in the index. A parent is set once, by the first turn of a
-- sub-workflow, so later turns touch no index (HOT).

create index if not exists instances_parent
  on ${schema}.instances (parent_instance_id) where parent_instance_id is not null;
