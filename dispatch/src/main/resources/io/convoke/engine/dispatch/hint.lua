-- On a cluster: lets the global queue know which lanes of other places hold something. A hint only: one
-- that is lost is given again at the next tick there, and one that is stale costs an empty claim.
-- KEYS[1] place, the global one   ARGV[1] '1' if a pod is to be woken   ARGV[2] types that wait
-- there, with a ',' between them   then lines, each with '1' if
-- it holds something, else '0'
-- Returns how many lanes have a turn
local rota = place .. 'dispatch:rota'
for i = 3, #ARGV, 2 do
  if ARGV[i + 1] == '1' then
    join_rota(ARGV[i])
  else
    redis.call('ZREM', rota, ARGV[i])
  end
end
local lanes = redis.call('ZCARD', rota)
if ARGV[1] == '1' and lanes > 0 then
  local types = {}
  for type_of in string.gmatch(ARGV[2], '[^,]+') do
    types[#types + 1] = type_of
  end
  wake('global', types)
end
return lanes
