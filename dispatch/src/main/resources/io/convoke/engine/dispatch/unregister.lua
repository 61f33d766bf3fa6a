-- Removes a pod that shuts down. A pod that still holds leases stays listed without slots until
-- they end.
-- KEYS[1] prefix   ARGV[1] pod   ARGV[2] region   ARGV[3] ms for which it stays listed while it
-- holds leases
-- Returns how many tasks it still holds
local held = redis.call('ZCARD', key('leases', ARGV[1]))
if held == 0 then
  redis.call('ZREM', prefix .. 'dispatch:pods', ARGV[1])
  redis.call('DEL', key('pod', ARGV[1]), key('stops', ARGV[1]), key('inbox', ARGV[1]))
else
  redis.call('ZADD', prefix .. 'dispatch:pods', now + tonumber(ARGV[3]), ARGV[1])
  redis.call('HSET', key('pod', ARGV[1]), 'region', ARGV[2], 'slots', 0, 'free', 0, 'wish', 'drain')
end
return held
