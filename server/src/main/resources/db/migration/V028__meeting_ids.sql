-- Ids of meetings have one spelling now: codes of Google Meet in lower case with their dashes, numbers of Zoom and Teams
-- without spaces and dashes. Live rows take it on, so that a new start finds them; where a user has several rows of one
-- meeting, the first takes it and the others keep what they have until they end. Ended rows stay as they were.
with spelled as (
  select id, user_id, platform, tracked, platform_specific_id,
    case
      when platform = 'google_meet' and platform_specific_id ~* '^[a-z]{3}-?[a-z]{4}-?[a-z]{3}$'
        then lower(regexp_replace(platform_specific_id, '^(...)-?(....)-?(...)$', '\1-\2-\3'))
      when platform in ('zoom', 'teams') and platform_specific_id ~ '^[0-9]([ -]?[0-9]){8,19}$'
        then regexp_replace(platform_specific_id, '[^0-9]', '', 'g')
      else platform_specific_id
    end as name
  from meetings
  where platform in ('google_meet', 'zoom', 'teams')
    and status in ('requested', 'reserved', 'starting', 'active', 'stopping')
), ranked as (
  select *,
    row_number() over (
      partition by user_id, platform, tracked, name
      order by (name = platform_specific_id) desc, id) as place
  from spelled
)
update meetings m set platform_specific_id = r.name
from ranked r
where m.id = r.id and r.place = 1 and r.name <> m.platform_specific_id;
