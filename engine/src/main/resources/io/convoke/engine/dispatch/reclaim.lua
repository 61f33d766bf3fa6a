-- PROCESSING -> PENDING at the head, with a fresh window, for what dead pods held and what nobody
-- renewed; FAILED after the last attempt, SUCCESS if it was to stop.
-- KEYS[1] place   ARGV[1] most tasks of a call   ARGV[2] most attempts that fail in a row   ARGV[3] lease ms
-- Returns {how many, then each lane with how many of it}; so many as were asked for means that there are more
local pods, left, count, by_lane = place .. 'dispatch:pods', tonumber(ARGV[1]), 0, {}
local flat = redis.call('ZRANGE', pods, 0, -1, 'WITHSCORES')
for i = 1, #flat, 2 do
  local pod, alive = flat[i], tonumber(flat[i + 1]) >= now
  local until_when = alive and '(' .. now or '+inf'
  local why = alive and 'its lease ended' or 'its pod ' .. pod .. ' died'
  local ids = redis.call('ZRANGEBYSCORE', key('leases', pod), '-inf', until_when, 'LIMIT', 0, left)
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
  if not alive and redis.call('ZCARD', key('leases', pod)) == 0 then
    redis.call('ZREM', pods, pod)
    redis.call('DEL', key('pod', pod), key('stops', pod), key('inbox', pod))
  end
end
return counted(count, by_lane)
