-- Declares that this place holds all that the ledger knows, if it was not emptied meanwhile.
-- KEYS[1] place   ARGV[1] token of the rebuild   ARGV[2] generation   ARGV[3] run id of the server
-- Returns 1, or 0 if the lock of the rebuild is not ours any more
if redis.call('GET', place .. 'dispatch:rebuild') ~= ARGV[1] then
  return 0
end
redis.call('SET', place .. 'dispatch:generation', ARGV[2])
redis.call('SET', place .. 'dispatch:server', ARGV[3])
redis.call('DEL', place .. 'dispatch:rebuild')
return 1
