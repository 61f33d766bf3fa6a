-- Ids that no new task gets, although tasks may have them no more: the files of an egress stay under its task's id, and stay its
-- user's. An earlier release gives such an id away once the task's row is deleted.
create view task_ids_taken as select task_id as id from egresses;
