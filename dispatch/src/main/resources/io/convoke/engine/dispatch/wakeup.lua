-- Cluster only: tells the global key space which lanes of other key spaces have tasks. A hint: a
-- lost one is sent again at
-- the next tick there, a stale one costs an empty claim.
-- KEYS[1] prefix of the global key space   ARGV[1] '1' to wake a pod   ARGV[2] types that wait,
-- separated by ','
-- then lines, each with '1' if it has tasks, else '0'
-- Returns the number of lines in the rotation
local rotation = prefix .. 'dispatch:rota'
for i = 3, #ARGV, 2 do
  if ARGV[i + 1] == '1' then
    add_to_rotation(ARGV[i])
  else
    redis.call('ZREM', rotation, ARGV[i])
  end
end
local lanes = redis.call('ZCARD', rotation)
if ARGV[1] == '1' and lanes > 0 then
  local types = {}
  for type_of in string.gmatch(ARGV[2], '[^,]+') do
    types[#types + 1] = type_of
  end
  wake('global', types)
end
return lanes
