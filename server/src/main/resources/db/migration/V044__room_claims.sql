-- Owners of rooms on platforms where our API key opens every room of the account.

create table rooms (
  platform   text        not null,
  -- A room's name, or a prefix that ends with *: every room whose name begins with it.
  room       text        not null,
  -- Null: released. The row stays, so that recordings from before are not the next owner's. No reference
  -- to users: its check would lock a user after this table, and admission locks them in the other order.
  user_id    bigint,
  claimed_at timestamptz not null,
  -- Recordings that began before are not the owner's by this claim.
  opens_at   timestamptz not null,
  primary key (platform, room)
);
create index rooms_of_user on rooms (user_id, platform, room);
create index rooms_prefixes on rooms (platform, room) where room like '%*';

-- The claim that holds for a room: of its name, else of the longest prefix.
create function room_claim(of_platform text, of_room text) returns setof rooms language sql stable as $$
  select * from (
    select * from rooms where platform = of_platform and room = of_room and user_id is not null
    union all
    select * from rooms
    where platform = of_platform and room like '%*' and user_id is not null
      and starts_with(of_room, left(room, -1))) as claims
  order by room = of_room desc, length(room) desc limit 1
$$;

-- Rooms in use belong to the user of the oldest meeting. Recordings from before are that user's only where
-- no other user had a meeting in the room.
insert into rooms (platform, room, user_id, claimed_at, opens_at)
select m.platform, m.platform_specific_id, (array_agg(m.user_id order by m.created_at, m.id))[1],
  min(m.created_at),
  case when count(distinct m.user_id) = 1 then min(m.created_at) - interval '1 minute' else now() end
from meetings m
where m.platform = 'daily' and m.platform_specific_id <> '' and position('*' in m.platform_specific_id) = 0
group by m.platform, m.platform_specific_id;
