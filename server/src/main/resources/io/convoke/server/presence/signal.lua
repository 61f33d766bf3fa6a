-- Enqueues webhook events: for each event updates flag, dirty sequence, pending events and ready
-- queue of every active meeting of its room. One call for any number of events, with batch
-- commands where Redis has them, because a command costs more than an event.
-- KEYS[1] rooms (hash room -> meeting ids)   KEYS[2] ready (zset by due ms)   KEYS[3] wake (list)
-- KEYS[4] generation   KEYS[5] unrouted (list)   KEYS[6] prefix of the sets of known event ids
-- ARGV[1] coalescing window ms   ARGV[2] dedup window ms, 0 for none   ARGV[3] evidence per meeting
-- ARGV[4] bound of unrouted      then three per event: id, room, evidence; room '' is a dead letter
-- Returns per event: the number of meetings signalled, -1 known already, -2 unrouted, -3 letter,
-- -4 dropped because unrouted is full.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local window, dedup = tonumber(ARGV[1]), tonumber(ARGV[2])
local cap, bound = tonumber(ARGV[3]), tonumber(ARGV[4])
local wake = false

local function put_aside(text)
  if redis.call('LLEN', KEYS[5]) >= bound then
    return false
  end
  redis.call('RPUSH', KEYS[5], text)
  wake = true
  return true
end

local function make_due(meeting)
  local state = 'convoke:presence:' .. meeting
  local known = redis.call('HMGET', state, 'poll_at', 'earliest')
  local poll_at = math.max(now + window, tonumber(known[2] or 0))
  if not known[1] or tonumber(known[1]) > poll_at then
    redis.call('HSET', state, 'poll_at', poll_at, 'reason', 'webhook')
  end
  local due = redis.call('ZSCORE', KEYS[2], meeting)
  if redis.call('EXISTS', 'meeting_presence_poll:' .. meeting) == 1 then
    -- The holder of the lease checks again when it ends its claim; another program's lock is retried.
    if not due then
      redis.call('ZADD', KEYS[2], now + 1000, meeting)
      wake = true
    end
  elseif not due or tonumber(due) > now then
    redis.call('ZADD', KEYS[2], now, meeting)
    wake = true
  end
end

-- Known ids of two windows: the current one and the one before it.
local known = {}
if dedup > 0 then
  local ids = {}
  for i = 5, #ARGV, 3 do
    ids[#ids + 1] = ARGV[i]
  end
  local number = math.floor(now / dedup)
  local running = KEYS[6] .. string.format('%.0f', number)
  local before = redis.call('SMISMEMBER', KEYS[6] .. string.format('%.0f', number - 1), unpack(ids))
  local present = redis.call('SMISMEMBER', running, unpack(ids))
  local fresh = redis.call('EXISTS', running) == 0
  redis.call('SADD', running, unpack(ids))
  if fresh then
    -- UNLINK frees in the background; the expiry covers an account without further events.
    redis.call('UNLINK', KEYS[6] .. string.format('%.0f', number - 2))
    redis.call('PEXPIRE', running, 3 * dedup)
  end
  local seen = {}
  for i = 1, #ids do
    known[i] = before[i] == 1 or present[i] == 1 or seen[ids[i]]
    seen[ids[i]] = true
  end
end

-- A map without a generation is incomplete, so a missing room proves nothing.
local mapped = redis.call('EXISTS', KEYS[4]) == 1
local rooms = {}
for i = 6, #ARGV, 3 do
  rooms[#rooms + 1] = ARGV[i]
end
local meetings_of = redis.call('HMGET', KEYS[1], unpack(rooms))

local answers, signals, flags = {}, {}, {}
for i = 1, #rooms do
  local evidence = ARGV[3 * i + 4]
  if rooms[i] == '' then
    answers[i] = put_aside(evidence) and -3 or -4
  elseif known[i] then
    answers[i] = -1
  elseif mapped and meetings_of[i] then
    answers[i] = 0
    for meeting in string.gmatch(meetings_of[i], '[^,]+') do
      signals[#signals + 1] = {meeting, evidence}
      flags[#flags + 1] = 'meeting_poll_requested:' .. meeting
      answers[i] = answers[i] + 1
    end
  else
    answers[i] = put_aside(evidence) and -2 or -4
  end
end

if #signals > 0 then
  local standing = redis.call('MGET', unpack(flags))
  local raised = {}
  for i = 1, #signals do
    local meeting = signals[i][1]
    local list = 'convoke:evidence:' .. meeting
    local waiting = redis.call('RPUSH', list, signals[i][2])
    if waiting > cap then
      -- Beyond the bound events are dropped; the poll finds their changes.
      redis.call('RPOP', list)
      redis.call('HINCRBY', 'convoke:presence:' .. meeting, 'dirty', 1)
    end
    if not standing[i] and not raised[meeting] then
      raised[meeting] = true
      redis.call('SET', flags[i], '1')
      make_due(meeting)
    elseif waiting == 1 then
      -- With the flag set, only the first pending event must make the meeting due.
      make_due(meeting)
    end
  end
end
if wake and redis.call('LLEN', KEYS[3]) == 0 then
  redis.call('RPUSH', KEYS[3], '1')
end
return answers
