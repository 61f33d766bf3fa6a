-- Marks a key space as restored from the database, unless it was emptied meanwhile. Renewals may be
-- among the lost writes,
-- so every lease starts anew: no pod runs a task for longer than a lease without renewing.
-- KEYS[1] prefix   ARGV[1] token of the rebuild   ARGV[2] generation   ARGV[3] run id of the server
-- ARGV[4] lease ms   ARGV[5] ms in which pods report what they hold
-- Returns 1, or 0 if the rebuild lost its lock
if redis.call('GET', prefix .. 'dispatch:rebuild') ~= ARGV[1] then
  return 0
end
local lease_end = string.format('%d', now + tonumber(ARGV[4]))
for _, pod in ipairs(redis.call('ZRANGE', prefix .. 'dispatch:pods', 0, -1)) do
  for _, id in ipairs(redis.call('ZRANGE', key('leases', pod), 0, -1)) do
    redis.call('ZADD', key('leases', pod), 'XX', 'GT', lease_end, id)
  end
end
redis.call('SET', prefix .. 'dispatch:generation', ARGV[2])
redis.call('SET', prefix .. 'dispatch:server', ARGV[3])
if redis.call('EXISTS', REPORTS) == 1 then
  redis.call('SET', REPORTS, string.format('%d', now + tonumber(ARGV[5])), 'PX', 4 * tonumber(ARGV[5]))
end
redis.call('DEL', prefix .. 'dispatch:rebuild', prefix .. 'dispatch:watch')
return 1
