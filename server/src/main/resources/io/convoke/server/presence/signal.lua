-- Takes in webhook events: for each event the flag, the dirty sequence, the evidence and the ready
-- queue of every active meeting of its room. One call for any number of events.
-- KEYS[1] rooms (hash room -> meeting ids)   KEYS[2] ready (zset by due ms)   KEYS[3] wake (list)
-- KEYS[4] generation   KEYS[5] unrouted (list)
-- ARGV[1] coalescing window ms   ARGV[2] dedup window ms, 0 for none   ARGV[3] evidence per meeting
-- ARGV[4] bound of unrouted      then three per event: id, room, evidence; room '' is a dead letter
-- Returns per event: the number of meetings signalled, -1 known already, -2 unrouted, -3 letter,
-- -4 dropped because unrouted is full.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local window, dedup = tonumber(ARGV[1]), tonumber(ARGV[2])
local cap, bound = tonumber(ARGV[3]), tonumber(ARGV[4])
-- A map without a generation is not whole, so that a missing room proves nothing.
local mapped = redis.call('EXISTS', KEYS[4]) == 1
local wake = false

local function put_aside(text)
  if redis.call('LLEN', KEYS[5]) >= bound then
    return false
  end
  redis.call('RPUSH', KEYS[5], text)
  wake = true
  return true
end

local function signal(meeting, evidence)
  local state = 'convoke:presence:' .. meeting
  redis.call('SET', 'meeting_poll_requested:' .. meeting, '1')
  redis.call('HINCRBY', state, 'dirty', 1)
  local list = 'convoke:evidence:' .. meeting
  -- Beyond the bound the poll alone must find the truth.
  if redis.call('LLEN', list) < cap then
    redis.call('RPUSH', list, evidence)
  end
  local known = redis.call('HMGET', state, 'poll_at', 'earliest')
  local poll_at = math.max(now + window, tonumber(known[2] or 0))
  if not known[1] or tonumber(known[1]) > poll_at then
    redis.call('HSET', state, 'poll_at', poll_at, 'reason', 'webhook')
  end
  local due = redis.call('ZSCORE', KEYS[2], meeting)
  if redis.call('EXISTS', 'meeting_presence_poll:' .. meeting) == 1 then
    -- Whoever holds the meeting looks again when it is done; a stranger's lock is tried again.
    if not due then
      redis.call('ZADD', KEYS[2], now + 1000, meeting)
      wake = true
    end
  elseif not due or tonumber(due) > now then
    redis.call('ZADD', KEYS[2], now, meeting)
    wake = true
  end
end

local answers = {}
for i = 5, #ARGV, 3 do
  local id, room, evidence = ARGV[i], ARGV[i + 1], ARGV[i + 2]
  local answer
  if room == '' then
    answer = put_aside(evidence) and -3 or -4
  elseif dedup > 0 and not redis.call('SET', 'convoke:event:' .. id, '1', 'NX', 'PX', dedup) then
    answer = -1
  else
    local meetings = mapped and redis.call('HGET', KEYS[1], room)
    if meetings then
      answer = 0
      for meeting in string.gmatch(meetings, '[^,]+') do
        signal(meeting, evidence)
        answer = answer + 1
      end
    else
      answer = put_aside(evidence) and -2 or -4
    end
  end
  answers[#answers + 1] = answer
end
if wake and redis.call('LLEN', KEYS[3]) == 0 then
  redis.call('RPUSH', KEYS[3], '1')
end
return answers
