-- PROCESSING -> PENDING at the head, with a fresh window, for what no pod renewed until its lease ended, and for what dead
-- pods held where a pod is dead sooner than that; FAILED after the last attempt, SUCCESS if it was to stop.
-- KEYS[1] place   ARGV[1] most tasks of a call   ARGV[2] most attempts that fail in a row   ARGV[3] lease ms
-- ARGV[4] ms of silence after which a pod is dead, or '' if only leases end   ARGV[5] the server's run id
-- Returns {how many, then each lane with how many of it}; so many as were asked for means that there are more
if not is_compared() then
  call_tender()
  return {0}
end
local pods, left, count, by_lane = place .. 'dispatch:pods', tonumber(ARGV[1]), 0, {}
local dead_after, watched_since = tonumber(ARGV[4]), nil
if dead_after then
  -- Silence counts while a tender looks again and again. After a gap, as when this server was away, it counts anew.
  local watch = place .. 'dispatch:watch'
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
  -- The last first, so that the one that was claimed first ends up at the head.
  for j = #ids, 1, -1 do
    local t = load(ids[j])
    if t and t.state == 'PROCESSING' and t.pod == pod then
      give_back(ids[j], t, {why = why, most = tonumber(ARGV[2]), lease_ms = tonumber(ARGV[3]), failed = true, head = true})
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
    tell_pod(pod, 'renew')
  end
end
return counted(count, by_lane)
