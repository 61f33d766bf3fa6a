-- Rooms that Janus has by our making: a row is written before Janus is told to make its room, and deleted when Janus has the
-- room no more. An earlier release makes rooms without a row; they stay until a link enters them or Janus restarts.
create table janus_rooms (
  room    text        primary key,
  -- Whose quota it counts to: who asked for it or, later, whose link was used.
  user_id bigint      not null,
  -- When it was asked for or entered, or found in use by those that remove rooms.
  used_at timestamptz not null,
  -- Until when no one enters it, because a server removes it.
  closed_until timestamptz not null default '-infinity'
);
create index janus_rooms_of_user on janus_rooms (user_id);
create index janus_rooms_unused on janus_rooms (used_at);
