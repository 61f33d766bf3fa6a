-- Rate limit of the account, shared by all nodes: a token bucket that a 429 freezes.
-- Each refused caller gets its own retry time, so that callers do not all retry at once.
-- KEYS[1] budget (hash tokens, at, frozen_until, turn)
-- ARGV[1] calls per second   ARGV[2] burst   ARGV[3] calls wanted, or 0 with ARGV[4] ms to freeze
-- ARGV[5] calls to reserve for priority callers
-- Returns 0 when the calls are granted, else the ms to wait.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local rate, burst, wanted = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local needed = wanted + tonumber(ARGV[5])
local known = redis.call('HMGET', KEYS[1], 'tokens', 'at', 'frozen_until', 'turn')
local frozen_until = tonumber(known[3] or 0)
if wanted == 0 then
  frozen_until = math.max(frozen_until, now + tonumber(ARGV[4]))
  redis.call('HSET', KEYS[1], 'frozen_until', frozen_until, 'tokens', 0, 'at', frozen_until)
  redis.call('PEXPIRE', KEYS[1], frozen_until - now + 600000)
  return frozen_until - now
end
if frozen_until > now then
  return frozen_until - now
end
local tokens, at = tonumber(known[1] or burst), tonumber(known[2] or now)
tokens = math.min(burst, tokens + math.max(0, now - at) * rate / 1000)
local wait = 0
if tokens >= needed then
  tokens = tokens - wanted
else
  wait = math.ceil((needed - tokens) * 1000 / rate)
  if needed > wanted then
    -- Bounded, so that a new caller does not wait behind all others.
    local turn = math.min(math.max(tonumber(known[4] or 0), now) + 1000 / rate, now + 30000)
    redis.call('HSET', KEYS[1], 'turn', string.format('%.3f', turn))
    wait = math.max(wait, math.ceil(turn - now))
  end
end
redis.call('HSET', KEYS[1], 'tokens', tostring(tokens), 'at', now)
redis.call('PEXPIRE', KEYS[1], 600000)
return wait
