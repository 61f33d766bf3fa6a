-- Teams: users who see each other's meetings, and may own rooms together. Tables and a column are added alone.
create table teams (
  id         bigint generated always as identity primary key,
  name       text        not null unique,
  created_at timestamptz not null default now()
);

create table team_members (
  team_id  bigint      not null references teams on delete cascade,
  user_id  bigint      not null references users on delete cascade,
  added_at timestamptz not null default now(),
  primary key (team_id, user_id)
);
create index team_members_teams on team_members (user_id, team_id);

-- The team that a room belongs to, where user_id is 0; elsewhere it means nothing. An earlier release sees an owner
-- whom no caller is, and so refuses everyone the room. No reference, for the reason that user_id has none.
alter table rooms add column team_id bigint;
create index rooms_of_team on rooms (team_id) where user_id = 0;

-- The claim that holds for a room, as a user sees it: a team's room is each member's own, and to others user 0's.
create function room_claim_for(of_platform text, of_room text, for_user bigint)
returns table (user_id bigint, claimed_at timestamptz, opens_at timestamptz) language sql stable as $$
  select
    case
      when c.user_id <> 0 then c.user_id
      when exists (select from team_members t where t.team_id = c.team_id and t.user_id = for_user)
        then for_user
      else 0
    end,
    c.claimed_at, c.opens_at
  from room_claim(of_platform, of_room) c
$$;
