-- One look in an interval, whoever makes it: wakes for what waits although a token was lost, forgets
-- lanes that are empty, and says whether anything lives. Tasks whose delay is over are claimable from here on,
-- in the interval or not.
-- KEYS[1] place   ARGV[1] interval ms
-- ARGV[2] the server's run id
-- Returns {-1 if another looked in this interval, -2 if this store has forgotten everything or may lack its
-- last writes, 0 if nothing lives, else how many tasks do; ms until the next delay ends, or -1 if nothing is delayed; then
-- the lanes of the global queue that hold something}
if redis.call('EXISTS', place .. 'dispatch:generation') == 0 or not same_life() then
  return {-2, -1}
end
local next_due = end_delays()
if not redis.call('SET', place .. 'dispatch:tick', '1', 'NX', 'PX', ARGV[1]) then
  return {-1, next_due}
end
local live, answer = redis.call('ZCARD', DELAYED), {0, next_due}
for _, lane in ipairs(redis.call('SMEMBERS', place .. 'dispatch:lanes')) do
  local waiting = redis.call('ZCARD', queue_of(lane))
  if waiting > 0 then
    live = live + waiting
    wake_lane(lane)
    if is_global(lane) then
      join_rota(lane)
      answer[#answer + 1] = lane
    end
  else
    redis.call('SREM', place .. 'dispatch:lanes', lane)
    redis.call('DEL', key('flows', lane), key('lane', lane))
    redis.call('ZREM', place .. 'dispatch:rota', lane)
  end
end
for _, pod in ipairs(redis.call('ZRANGE', place .. 'dispatch:pods', 0, -1)) do
  live = live + redis.call('ZCARD', key('leases', pod))
end
-- Those who tend wake each other: all look while something lives, none while nothing does.
if live > 0 then
  redis.call('SET', place .. 'dispatch:tended', '1', 'PX', 4 * tonumber(ARGV[1]))
  call_tender()
end
answer[1] = live
return answer
