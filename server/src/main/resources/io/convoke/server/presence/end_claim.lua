-- Ends a claim: trims the committed events, releases the lease, and makes the meeting due
-- again if something arrived meanwhile, the poll failed, or a confirming poll is needed. Events that
-- arrived meanwhile do not wait for the platform, only for Postgres (outcome unstored).
-- KEYS[1] ready   KEYS[2] wake
-- ARGV[1] meeting   ARGV[2] token   ARGV[3] 'poll'|'evidence'
-- ARGV[4] 'ok'|'failed'|'refused'|'unstored'|'gone'   ARGV[5] dirty sequence of the claim
-- ARGV[6] evidence of the claim, committed unless unstored   ARGV[7] ms until the confirming poll or -1
-- ARGV[8] ms to wait after a failure
-- Returns {ms until the meeting is due again, -1 if it is not, -2 if the lease was lost; 1 if
-- a poll was requested while this one ran}
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local meeting, mode, outcome = ARGV[1], ARGV[3], ARGV[4]
local lease = 'meeting_presence_poll:' .. meeting
local flag = 'meeting_poll_requested:' .. meeting
local state = 'convoke:presence:' .. meeting
local list = 'convoke:evidence:' .. meeting
local confirm, backoff = tonumber(ARGV[7]), tonumber(ARGV[8])
if redis.call('GET', lease) ~= ARGV[2] then
  return {-2, 0}
end
redis.call('DEL', lease)
redis.call('HDEL', state, 'polling')
if outcome == 'gone' then
  redis.call('DEL', flag, state, list)
  redis.call('ZREM', KEYS[1], meeting)
  return {-1, 0}
end
local asked = mode == 'poll' and redis.call('EXISTS', flag) or 0

local function poll_no_later_than(at, reason)
  local known = redis.call('HMGET', state, 'poll_at', 'earliest')
  at = math.max(at, tonumber(known[2] or 0))
  if not known[1] or tonumber(known[1]) > at then
    redis.call('HSET', state, 'poll_at', at, 'reason', reason)
  end
end

-- A flag that another program set during the poll has no due time.
if redis.call('EXISTS', flag) == 1 and redis.call('HEXISTS', state, 'poll_at') == 0 then
  poll_no_later_than(now, 'flag')
end

local pause = 0
if outcome == 'unstored' then
  pause = backoff
else
  redis.call('LTRIM', list, ARGV[6], -1)
  redis.call('HINCRBY', state, 'dirty', ARGV[6])
end
if mode == 'poll' then
  if outcome == 'ok' then
    redis.call('HSET', state, 'served', ARGV[5], 'fails', 0)
    if confirm >= 0 then
      poll_no_later_than(now + confirm, 'confirm')
    end
  else
    -- The request was not served: set the flag again.
    redis.call('SET', flag, '1')
    if outcome ~= 'refused' then
      redis.call('HINCRBY', state, 'fails', 1)
    end
    redis.call('HSET', state, 'earliest', now + backoff, 'poll_at', now + backoff)
  end
end
local due = tonumber(redis.call('HGET', state, 'poll_at'))
if redis.call('LLEN', list) > 0 then
  due = math.min(due or math.huge, now + pause)
end
if not due then
  redis.call('ZREM', KEYS[1], meeting)
  return {-1, asked}
end
redis.call('ZADD', KEYS[1], due, meeting)
local head = redis.call('ZRANGE', KEYS[1], 0, 0)
if head[1] == meeting and redis.call('LLEN', KEYS[2]) == 0 then
  redis.call('RPUSH', KEYS[2], '1')
end
return {math.max(0, due - now), asked}
