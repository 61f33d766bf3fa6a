-- Claims one due meeting: its lease, flag, pending events and dirty sequence, atomically. A
-- lease held by another client leaves the flag alone. The lease of a dead Convoke node is taken
-- over at once; the epoch of the database row fences late writes of that node.
-- KEYS[1] ready   KEYS[2] wake   KEYS[3] epoch counter   KEYS[4] unrouted   KEYS[5] this node
-- ARGV[1] token ('presence:<node>:<random>')   ARGV[2] lease ms   ARGV[3] ms after which a claimed
-- meeting is due again   ARGV[4] ms that a node counts as alive   ARGV[5] min ms between polls
-- ARGV[6] meetings to try
-- Returns {'idle', ms to the next due one or -1, unrouted}
-- or {'poll'|'evidence', meeting, dirty, epoch, reason, fails, unrouted, evidence...}
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local token, lease_ms, recheck = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])

local function abandoned(holder)
  local node = string.match(holder, '^presence:(.+):[%x%-]+$')
  return node and redis.call('EXISTS', 'convoke:node:' .. node) == 0
end

local function take(lease)
  local holder = redis.call('GET', lease)
  if holder and abandoned(holder) then
    redis.call('DEL', lease)
  end
  return redis.call('SET', lease, token, 'NX', 'PX', lease_ms)
end

local function next_epoch()
  if redis.call('EXISTS', KEYS[3]) == 0 then
    redis.call('SET', KEYS[3], string.format('%.0f', time[1] * 1000000 + time[2]))
  end
  return redis.call('INCR', KEYS[3])
end

local function next_due()
  local head = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
  if #head == 0 then
    return nil, -1
  end
  return head[1], math.max(0, tonumber(head[2]) - now)
end

redis.call('SET', KEYS[5], '1', 'PX', ARGV[4])
local unrouted = redis.call('LLEN', KEYS[4])
for _ = 1, tonumber(ARGV[6]) do
  local meeting, wait = next_due()
  if not meeting or wait > 0 then
    return {'idle', wait, unrouted}
  end
  local lease = 'meeting_presence_poll:' .. meeting
  if not take(lease) then
    local left = redis.call('PTTL', lease)
    redis.call('ZADD', KEYS[1], now + math.max(100, math.min(left, recheck, 1000)), meeting)
  else
    local flag = 'meeting_poll_requested:' .. meeting
    local state = 'convoke:presence:' .. meeting
    local known = redis.call('HMGET', state, 'poll_at', 'earliest', 'polling', 'dirty', 'reason', 'fails')
    local flagged = redis.call('EXISTS', flag) == 1
    local poll_at = tonumber(known[1])
    -- Requested without a time (a plain SET), or left by a holder that died.
    if not poll_at and (flagged or known[3]) then
      poll_at = tonumber(known[2] or 0)
    end
    local evidence = redis.call('LRANGE', 'convoke:evidence:' .. meeting, 0, -1)
    local mode
    if poll_at and poll_at <= now then
      mode = 'poll'
      redis.call('DEL', flag)
      redis.call('HDEL', state, 'poll_at')
      redis.call('HSET', state, 'polling', now, 'earliest', now + tonumber(ARGV[5]))
      redis.call('ZADD', KEYS[1], now + recheck, meeting)
    elseif #evidence > 0 then
      mode = 'evidence'
      -- If this holder dies, its events do not wait for a poll that is due later.
      redis.call('ZADD', KEYS[1], math.min(poll_at or now + recheck, now + recheck), meeting)
    else
      redis.call('DEL', lease)
      if poll_at then
        redis.call('ZADD', KEYS[1], poll_at, meeting)
      else
        redis.call('ZREM', KEYS[1], meeting)
      end
    end
    if mode then
      local _, following = next_due()
      if following == 0 and redis.call('LLEN', KEYS[2]) == 0 then
        redis.call('RPUSH', KEYS[2], '1')
      end
      -- Each event raises the dirty sequence: pending ones count here, dropped and committed ones were added.
      local dirty = tonumber(known[4] or 0) + #evidence
      local answer = {mode, meeting, dirty, next_epoch(), known[5] or 'flag',
        tonumber(known[6] or 0), unrouted}
      for _, one in ipairs(evidence) do
        answer[#answer + 1] = one
      end
      return answer
    end
  end
end
return {'idle', 0, unrouted}
