-- Dead letters of a room that nobody tracks are one row with a count, and body is the latest of them. Rows of an
-- earlier release have no room and count 1.
alter table dead_letters
  add column room    text,
  add column count   bigint not null default 1,
  add column last_at timestamptz not null default now();
-- Pages are read by the time of the last one.
create index dead_letters_last on dead_letters (last_at desc, id desc);
create unique index dead_letters_room on dead_letters (source, reason, room) where room is not null;
