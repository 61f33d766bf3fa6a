-- Reads the poll state of a meeting.
-- KEYS[1] flag   KEYS[2] poll lock   KEYS[3] state
-- Returns {needs poll, polling}, each 0 or 1. A lease for committing events only is no poll; a
-- lock of another program counts as one.
local holder = redis.call('GET', KEYS[2])
local polling = 0
if holder then
  local ours = string.match(holder, '^presence:.+:[%x%-]+$')
  if not ours or redis.call('HEXISTS', KEYS[3], 'polling') == 1 then
    polling = 1
  end
end
return {redis.call('EXISTS', KEYS[1]), polling}
