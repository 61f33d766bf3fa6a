-- Takes the lock of a recording; work that it was taken for takes it over.
-- KEYS[1] recording:{id}   KEYS[2] the epoch counter of this store
-- ARGV[1] token   ARGV[2] timeout in ms   ARGV[3...] how tokens end that may be taken over
-- Returns the epoch, or -1 when another worker holds the lock.
local held = redis.call('GET', KEYS[1])
if held then
  local ours = false
  for i = 3, #ARGV do
    ours = ours or string.sub(held, -#ARGV[i]) == ARGV[i]
  end
  if not ours then
    return -1
  end
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
-- A counter that was forgotten starts at the clock, so that epochs grow across a flush as well.
if redis.call('EXISTS', KEYS[2]) == 0 then
  local time = redis.call('TIME')
  redis.call('SET', KEYS[2], string.format('%.0f', time[1] * 1000000 + time[2]))
end
return redis.call('INCR', KEYS[2])
