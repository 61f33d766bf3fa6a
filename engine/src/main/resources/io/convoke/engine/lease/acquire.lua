-- Takes a lock that nobody holds, and gives it an epoch greater than every earlier one.
-- KEYS[1] the lock   KEYS[2] the epoch counter of this store
-- ARGV[1] token      ARGV[2] timeout in ms
-- Returns the epoch, or -1 when the lock is held.
if not redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
  return -1
end
-- A counter that was forgotten starts at the clock, so that epochs grow across a flush as well.
if redis.call('EXISTS', KEYS[2]) == 0 then
  local time = redis.call('TIME')
  redis.call('SET', KEYS[2], string.format('%.0f', time[1] * 1000000 + time[2]))
end
return redis.call('INCR', KEYS[2])
