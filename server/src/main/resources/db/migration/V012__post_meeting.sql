-- What follows a meeting: one row for each that became terminal, written in the transaction that made it so.
-- The workflow engine will take the rows over; until then they wait. A queue, so no foreign key.
create table post_meeting (
  meeting_id bigint      primary key,
  ordered_at timestamptz not null default now(),
  taken_at   timestamptz
);

insert into post_meeting (meeting_id, ordered_at)
select id, coalesce(end_time, updated_at) from meetings where status in ('completed', 'failed', 'error');
