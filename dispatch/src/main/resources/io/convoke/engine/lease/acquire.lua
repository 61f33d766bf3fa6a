-- Takes locks that are free, and gives each an epoch greater than every earlier one.
-- KEYS[1] the epoch counter of this store   KEYS[i+1] the lock
-- ARGV[2i-1] token      ARGV[2i] timeout in ms
-- Returns for each lock its epoch, or -1 when it is held.
local epochs, taken = {}, {}
for i = 1, #KEYS - 1 do
  epochs[i] = -1
  if redis.call('SET', KEYS[i + 1], ARGV[2 * i - 1], 'NX', 'PX', ARGV[2 * i]) then
    taken[#taken + 1] = i
  end
end
if #taken > 0 then
  local last = redis.call('INCRBY', KEYS[1], #taken)
  if last == #taken then
    -- A counter that was forgotten starts at the clock, so that epochs grow across a flush as well.
    local time = redis.call('TIME')
    last = redis.call('INCRBY', KEYS[1], string.format('%.0f', time[1] * 1000000 + time[2]))
  end
  for n, i in ipairs(taken) do
    epochs[i] = last - #taken + n
  end
end
return epochs
