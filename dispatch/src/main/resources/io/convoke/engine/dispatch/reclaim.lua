-- PROCESSING -> PENDING at the head of the queue with a fresh deadline, for tasks whose lease ended
-- or whose pod is dead;
-- FAILED after the last attempt, SUCCESS if the task was to stop.
-- KEYS[1] prefix   ARGV[1] most tasks of a call   ARGV[2] consecutive failures allowed   ARGV[3]
-- lease ms
-- ARGV[4] ms of silence after which a pod is dead, or '' if only leases end   ARGV[5] the server's
-- run id
-- Returns {total, then each queue with its count}; a total equal to ARGV[1] means that there may be
-- more
if not is_compared() then
  wake_maintainer()
  return {0}
end
local pods, left, count, by_lane = prefix .. 'dispatch:pods', tonumber(ARGV[1]), 0, {}
local dead_after, watched_since = tonumber(ARGV[4]), nil
if dead_after then
  -- Silence counts only while a maintainer sweeps regularly. After a gap, as when Redis was down,
  -- it counts from now.
  local watch = prefix .. 'dispatch:watch'
  local known = redis.call('HMGET', watch, 'at', 'since')
  watched_since = known[2] and now - tonumber(known[1]) <= dead_after / 2 and tonumber(known[2]) or now
  redis.call('HSET', watch, 'at', NOW, 'since', string.format('%d', watched_since))
end
local flat = redis.call('ZRANGE', pods, 0, -1, 'WITHSCORES')
for i = 1, #flat, 2 do
  local pod, listed_until = flat[i], tonumber(flat[i + 1])
  local dead = dead_after and math.max(listed_until, watched_since + dead_after) < now
  local why = dead and 'its pod ' .. pod .. ' died' or 'its lease ended'
  local ids = redis.call('ZRANGEBYSCORE', key('leases', pod), '-inf', dead and '+inf' or '(' .. NOW, 'LIMIT', 0, left)
  -- In reverse, so that the task claimed first ends up at the head.
  for j = #ids, 1, -1 do
    local t = load(ids[j])
    if t and t.state == 'PROCESSING' and t.pod == pod then
      return_task(ids[j], t, {why = why, most = tonumber(ARGV[2]), lease_ms = tonumber(ARGV[3]), failed = true, head = true})
      by_lane[t.lane] = (by_lane[t.lane] or 0) + 1
    else
      redis.call('ZREM', key('leases', pod), ids[j])
    end
  end
  count, left = count + #ids, left - #ids
  if listed_until < now and redis.call('EXISTS', key('leases', pod)) == 0 then
    redis.call('ZREM', pods, pod)
    redis.call('DEL', key('pod', pod), key('stops', pod), key('inbox', pod))
  end
  if #ids > 0 then
    notify_pod(pod, 'renew')
  end
end
return sweep_reply(count, by_lane)
