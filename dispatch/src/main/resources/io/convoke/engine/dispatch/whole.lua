-- Declares that this place holds all that the ledger knows, if it was not emptied meanwhile. Renewals may be among the
-- lost writes, so every lease begins anew: no pod runs a task for longer than that without another renewal.
-- KEYS[1] place   ARGV[1] token of the rebuild   ARGV[2] generation   ARGV[3] run id of the server   ARGV[4] lease ms
-- Returns 1, or 0 if the lock of the rebuild is not ours any more
if redis.call('GET', place .. 'dispatch:rebuild') ~= ARGV[1] then
  return 0
end
local lease_end = string.format('%d', now + tonumber(ARGV[4]))
for _, pod in ipairs(redis.call('ZRANGE', place .. 'dispatch:pods', 0, -1)) do
  for _, id in ipairs(redis.call('ZRANGE', key('leases', pod), 0, -1)) do
    redis.call('ZADD', key('leases', pod), 'XX', 'GT', lease_end, id)
  end
end
redis.call('SET', place .. 'dispatch:generation', ARGV[2])
redis.call('SET', place .. 'dispatch:server', ARGV[3])
redis.call('DEL', place .. 'dispatch:rebuild', place .. 'dispatch:watch')
return 1
