-- Streams are sent by lanes: a few workflows for each endpoint, however many subjects wait for it.

create table webhook_lanes (
  endpoint_id bigint  not null,
  lane        integer not null,
  -- The workflow that sends what is in the lane; null: none does.
  holder      text,
  -- Without a holder: when the next message is due; null if none is.
  wakes_at    timestamptz,
  primary key (endpoint_id, lane)
);
create index webhook_lanes_due on webhook_lanes (wakes_at) where wakes_at is not null;

-- Streams from before, and those that a node of the release before adds, are in the first lane. Such
-- a node starts a workflow for a stream that is not "running"; this release always says that it is.
alter table webhook_streams add column lane integer not null default 0;
-- When the oldest message of the stream is to be sent.
alter table webhook_streams add column due_at timestamptz not null default now();
create index webhook_streams_due on webhook_streams (endpoint_id, lane, due_at);
