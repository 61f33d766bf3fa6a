-- Rooms that Janus records, so that one that it forgot is recorded again. The rule holds while the room is this user's.
create table recorded_rooms (
  platform text   not null,
  room     text   not null,
  user_id  bigint not null,
  primary key (platform, room)
);
