-- Sets whether a pod takes tasks. The pod stays listed and its running tasks go on. Its claims
-- return nothing from here
-- on, even before it receives the message. The setting is stored for a pod that is silent too: it
-- may come back. Each has a higher number than the one before, its time in ms: the pod repeats the
-- newest with it, in case Redis loses that.
-- KEYS[1] prefix   ARGV[1] pod   ARGV[2] 'drain' or 'take'
-- Returns 1 if changed, 2 if it was set before, -1 if the pod is not alive
local alive = redis.call('ZSCORE', prefix .. 'dispatch:pods', ARGV[1])
if not alive then
  return -1
end
local known = redis.call('HMGET', key('pod', ARGV[1]), 'wish', 'wish_at')
local before, number = known[1] or 'take', math.max(now, (tonumber(known[2]) or 0) + 1)
redis.call('HSET', key('pod', ARGV[1]), 'wish', ARGV[2], 'wish_at', string.format('%d', number))
if tonumber(alive) < now then
  return -1
end
notify_pod(ARGV[1], ARGV[2])
return before == ARGV[2] and 2 or 1
