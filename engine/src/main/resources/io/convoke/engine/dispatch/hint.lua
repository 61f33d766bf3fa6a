-- On a cluster: lets the global queue know which lanes of other places hold something. A hint only: one
-- that is lost is given again at the next tick there, and one that is stale costs an empty claim.
-- KEYS[1] place, the global one   ARGV[1] '1' if somebody is to be woken   then lanes, each with '1' if
-- it holds something, else '0'
-- Returns how many lanes have a turn
local rota = place .. 'dispatch:rota'
for i = 2, #ARGV, 2 do
  if ARGV[i + 1] == '1' then
    join_rota(ARGV[i])
  else
    redis.call('ZREM', rota, ARGV[i])
  end
end
local lanes = redis.call('ZCARD', rota)
if ARGV[1] == '1' and lanes > 0 then
  wake('global')
end
return lanes
