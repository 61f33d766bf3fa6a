-- Indexes of lookups that read a whole table, which grows with each message and workflow.

-- Deliveries that carried words of a meeting: the deletion of a recording empties them.
create index webhook_deliveries_segments on webhook_deliveries (subject) where type = 'transcript.segments';

-- The oldest owners: retention looks for those whose workflows are deleted.
create index workflow_owners_age on workflow_owners (created_at);
