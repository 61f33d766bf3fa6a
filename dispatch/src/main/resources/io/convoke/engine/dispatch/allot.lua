-- Cluster only: allots turns of the global queues to a pod. A turn is for one task; its lane may be
-- in another key space,
-- so nothing is claimed here.
-- KEYS[1] prefix of the global key space   ARGV[1] turns wanted
-- Returns lines, each followed by its number of turns
local rotation, turns = prefix .. 'dispatch:rota', prefix .. 'dispatch:turns'
local flat = redis.call('ZRANGE', rotation, 0, -1, 'WITHSCORES')
local lanes, v = {}, nil
for i = 1, #flat, 2 do
  lanes[#lanes + 1] = {name = flat[i], at = tonumber(flat[i + 1]), count = 0}
end
for _ = 1, #lanes > 0 and tonumber(ARGV[1]) or 0 do
  local next = lanes[1]
  for i = 2, #lanes do
    if lanes[i].at < next.at then
      next = lanes[i]
    end
  end
  v, next.at, next.count = math.max(v or next.at, next.at), next.at + 1, next.count + 1
end
local answer = {}
for _, lane in ipairs(lanes) do
  if lane.count > 0 then
    redis.call('HSET', turns, lane.name, lane.at, '', v)
    redis.call('ZADD', rotation, lane.at, lane.name)
    answer[#answer + 1] = lane.name
    answer[#answer + 1] = lane.count
  end
end
return answer
