-- Ends a look: what was remembered before it is true, and whoever looked may tell it for the length of a lease.
-- KEYS[1] convoke:sync:generation   KEYS[2] convoke:sync:readers, who looked when
-- ARGV[1] who looks   ARGV[2] for how long a look is remembered, ms: many leases, so that clocks may be wrong by that
-- Returns the generation, or '' while there is none; 1 if somebody else looked within that time, else 0.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local keep = tonumber(ARGV[2])
local last = tonumber(redis.call('ZSCORE', KEYS[2], ARGV[1]) or '0')
if last > now or last < now - keep / 4 then
  redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now - keep)
  redis.call('ZADD', KEYS[2], now, ARGV[1])
  redis.call('PEXPIRE', KEYS[2], keep)
end
local generation = redis.call('GET', KEYS[1])
if not generation then
  -- Who looked is forgotten too, and may tell for a moment what was there: somebody unknown did.
  redis.call('ZADD', KEYS[2], now, '?')
  redis.call('PEXPIRE', KEYS[2], keep)
end
return { generation or '', redis.call('ZCARD', KEYS[2]) > 1 and 1 or 0 }
