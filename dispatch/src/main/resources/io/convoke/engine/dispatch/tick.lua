-- One look in an interval, whoever makes it: wakes for what waits although a token was lost, forgets
-- queues that are empty, and says whether anything lives. Tasks whose delay is over are claimable from here on,
-- in the interval or not.
-- KEYS[1] place   ARGV[1] interval ms
-- ARGV[2] the server's run id
-- Returns {-1 if another looked in this interval, -2 if this store has forgotten everything or may lack its
-- last writes, 0 if nothing lives, else how many tasks do; ms until the next delay ends, or -1 if nothing is delayed; types
-- that wait in the global queues, with a ',' between them, then the lines of those queues}
if not is_compared() then
  return {-2, -1}
end
local next_due = end_delays()
if not redis.call('SET', place .. 'dispatch:tick', '1', 'NX', 'PX', ARGV[1]) then
  return {-1, next_due}
end
-- Types of a queue that are woken for at most; more are woken for as these are taken or end.
local TYPES_MAX = 1000
local live, answer, lines, global_types = redis.call('ZCARD', DELAYED), {0, next_due, ''}, {}, {}
for _, queue in ipairs(redis.call('SMEMBERS', place .. 'dispatch:lanes')) do
  local waiting, line = redis.call('ZCARD', queue_of(queue)), line_of(queue)
  if waiting > 0 then
    live = live + waiting
    local types = redis.call('ZRANGE', heads_of(queue), 0, TYPES_MAX - 1)
    wake_queue(queue, types)
    if is_global(queue) then
      global_types[#global_types + 1] = table.concat(types, ',')
    end
    if is_global(queue) and not lines[line] then
      lines[line] = true
      join_rota(line)
      answer[#answer + 1] = line
    end
  else
    redis.call('SREM', place .. 'dispatch:lanes', queue)
    -- The last is of releases before there were lanes of types.
    redis.call('DEL', key('flows', queue), key('lane', queue), heads_of(queue), key('due', queue))
    if is_global(queue) and (line ~= 'global' or
        redis.call('EXISTS', queue_of('global'), queue_of('global:global')) == 0) then
      redis.call('ZREM', place .. 'dispatch:rota', line)
    end
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
answer[1], answer[3] = live, table.concat(global_types, ',')
return answer
