-- Syncs of meetings that no recording syncs: their words are a bot's, or there is attendance alone.
create table meeting_syncs (
  meeting_id bigint      primary key,
  run        integer     not null default 1,
  status     text        not null default 'waiting'
    check (status in ('waiting', 'running', 'done', 'failed', 'recorded', 'empty')),
  step       text,
  detail     text,
  updated_at timestamptz not null default now()
);

-- The version at which a retry found no job of this server to restart; any later update is an answer. An earlier
-- release does not read it, and its updates are answers too.
alter table sync_status add column unanswered_version bigint;
