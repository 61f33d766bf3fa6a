-- The lists of the API by type: without it a list of a type that few tasks have reads all tasks.
create index tasks_of_type on tasks ((spec ->> 'type'), created_at desc, id desc);
