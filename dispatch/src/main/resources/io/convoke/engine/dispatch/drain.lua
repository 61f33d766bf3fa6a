-- Whether a pod is to take tasks: it stays alive either way, and what it runs is not touched. No claim of
-- it brings anything from here on, whether it has heard of this yet or not. One that has been silent for
-- too long may come back, so what is known of it is told all the same.
-- KEYS[1] place   ARGV[1] pod   ARGV[2] 'drain' or 'take'
-- Returns 1 if it is told, 2 if it was told before, -1 if no such pod lives
local alive = redis.call('ZSCORE', place .. 'dispatch:pods', ARGV[1])
if not alive then
  return -1
end
local before = redis.call('HGET', key('pod', ARGV[1]), 'wish') or 'take'
redis.call('HSET', key('pod', ARGV[1]), 'wish', ARGV[2])
if tonumber(alive) < now then
  return -1
end
tell_pod(ARGV[1], ARGV[2])
return before == ARGV[2] and 2 or 1
