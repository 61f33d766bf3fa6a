-- Flags meetings and makes them due, for the timer, recovery and flags set by other programs (reason
-- flag: only those still flagged that are not due anyway; reason start: only those whose status change
-- no other node has requested).
-- KEYS[1] ready   KEYS[2] wake
-- ARGV[1] reason   then meeting ids, for reason start each followed by the journal number of its change
-- Returns how many were not due before.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local added = 0

-- True if the flag is cleared, or its poll is due soon: a poll requested by an event waits for its window,
-- and only a confirming poll is too far off to serve a flag set by another program.
local function settled(meeting, state, due, held)
  if redis.call('EXISTS', 'meeting_poll_requested:' .. meeting) == 0 then
    return true
  end
  local known = redis.call('HMGET', state, 'poll_at', 'reason')
  return due and (held or due <= now + 1000 or (known[1] and known[2] ~= 'confirm'))
end

local function told(state, move)
  local known = tonumber(redis.call('HGET', state, 'begun') or 0)
  if known < move then
    redis.call('HSET', state, 'begun', string.format('%.0f', move))
  end
  return known >= move
end

for i = 2, #ARGV, ARGV[1] == 'start' and 2 or 1 do
  local meeting = ARGV[i]
  local state = 'convoke:presence:' .. meeting
  local score = redis.call('ZSCORE', KEYS[1], meeting)
  local due = score and tonumber(score)
  local held = redis.call('EXISTS', 'meeting_presence_poll:' .. meeting) == 1
  if not (ARGV[1] == 'flag' and settled(meeting, state, due, held))
    and not (ARGV[1] == 'start' and told(state, tonumber(ARGV[i + 1]))) then
    redis.call('SET', 'meeting_poll_requested:' .. meeting, '1')
    redis.call('HINCRBY', state, 'dirty', 1)
    local known = redis.call('HMGET', state, 'poll_at', 'earliest')
    local poll_at = math.max(now, tonumber(known[2] or 0))
    if not known[1] or tonumber(known[1]) > poll_at then
      redis.call('HSET', state, 'poll_at', poll_at, 'reason', ARGV[1])
    else
      poll_at = tonumber(known[1])
    end
    if not due or (not held and due > poll_at) then
      redis.call('ZADD', KEYS[1], poll_at, meeting)
      added = added + 1
    end
  end
end
if added > 0 and redis.call('LLEN', KEYS[2]) == 0 then
  redis.call('RPUSH', KEYS[2], '1')
end
return added
