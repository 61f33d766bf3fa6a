-- Runs once in an interval, by the first server that calls: wakes pods for waiting tasks in case a
-- token was lost, removes
-- empty queues with what is kept for their regions and counts open tasks. Releases delayed tasks on
-- every call; also wakes pods when the time for their reports
-- is over.
-- KEYS[1] prefix   ARGV[1] interval ms   ARGV[2] the server's run id
-- Returns {-1 if another server ticked in this interval, -2 if the key space must be compared with
-- the database, else the
-- number of open tasks; ms until the next backoff, or the time for reports, ends, or -1; types that
-- wait in the global queues,
-- separated by ','; then the lines of those queues}
if not is_compared() then
  return {-2, -1}
end
local next_due, reports = release_delayed(), tonumber(redis.call('GET', REPORTS) or 0)
local reported = reports > 0 and now >= reports and redis.call('DEL', REPORTS) == 1
if now < reports then
  next_due = next_due < 0 and reports - now or math.min(next_due, reports - now)
end
if not redis.call('SET', prefix .. 'dispatch:tick', '1', 'NX', 'PX', ARGV[1]) and not reported then
  return {-1, next_due}
end
-- Most types of a queue to wake pods for; the next ticks wake for the rest.
local TYPES_MAX = 1000
local live, answer, lines, global_types = redis.call('ZCARD', DELAYED), {0, next_due, ''}, {}, {}
for _, queue in ipairs(redis.call('SMEMBERS', prefix .. 'dispatch:lanes')) do
  local waiting, line = redis.call('ZCARD', queue_key(queue)), line_name(queue)
  if waiting > 0 then
    live = live + waiting
    local types = redis.call('ZRANGE', heads_key(queue), 0, TYPES_MAX - 1)
    wake_queue(queue, types)
    if is_global(queue) then
      global_types[#global_types + 1] = table.concat(types, ',')
    end
    if is_global(queue) and not lines[line] then
      lines[line] = true
      add_to_rotation(line)
      answer[#answer + 1] = line
    end
  else
    redis.call('SREM', prefix .. 'dispatch:lanes', queue)
    -- The last key was written by releases without lanes of types.
    redis.call('DEL', key('flows', queue), key('lane', queue), heads_key(queue), key('due', queue))
    if not is_global(queue) then
      redis.call('DEL', key('wake', queue))
    elseif line ~= 'global' or
        redis.call('EXISTS', queue_key('global'), queue_key('global:global')) == 0 then
      redis.call('ZREM', prefix .. 'dispatch:rota', line)
    end
  end
end
-- A line that left the rotation keeps its turn, so that it cannot pass others by coming back. Users
-- choose the names of regions, so beyond a number of lines all begin anew.
local TURNS_MAX = 1000
local turns = prefix .. 'dispatch:turns'
if redis.call('HLEN', turns) > TURNS_MAX then
  local reached = redis.call('HGET', turns, '') or '0'
  redis.call('DEL', turns)
  redis.call('HSET', turns, '', reached)
end
for _, pod in ipairs(redis.call('ZRANGE', prefix .. 'dispatch:pods', 0, -1)) do
  live = live + redis.call('ZCARD', key('leases', pod))
end
-- Maintainers wake each other: all tick while tasks are open, none while no task is.
if live > 0 then
  redis.call('SET', prefix .. 'dispatch:tended', '1', 'PX', 4 * tonumber(ARGV[1]))
  wake_maintainer()
end
answer[1], answer[3] = live, table.concat(global_types, ',')
return answer
