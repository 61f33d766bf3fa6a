-- A pod says farewell: it takes nothing any more and is not counted; what it still holds stays its own.
-- KEYS[1] place   ARGV[1] pod   ARGV[2] region   ARGV[3] ms for which it is listed while it holds something
-- Returns how many tasks it still holds
local held = redis.call('ZCARD', key('leases', ARGV[1]))
if held == 0 then
  redis.call('ZREM', place .. 'dispatch:pods', ARGV[1])
  redis.call('DEL', key('pod', ARGV[1]), key('stops', ARGV[1]), key('inbox', ARGV[1]))
else
  redis.call('ZADD', place .. 'dispatch:pods', now + tonumber(ARGV[3]), ARGV[1])
  redis.call('HSET', key('pod', ARGV[1]), 'region', ARGV[2], 'slots', 0, 'free', 0, 'wish', 'drain')
end
return held
