-- The account's budget of calls, shared by all nodes: a token bucket that a 429 freezes.
-- KEYS[1] budget (hash tokens, at, frozen_until)
-- ARGV[1] calls per second   ARGV[2] burst   ARGV[3] calls wanted, or 0 with ARGV[4] ms to freeze
-- Returns 0 when the calls are granted, else the ms to wait.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local rate, burst, wanted = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local known = redis.call('HMGET', KEYS[1], 'tokens', 'at', 'frozen_until')
local frozen_until = tonumber(known[3] or 0)
if wanted == 0 then
  frozen_until = math.max(frozen_until, now + tonumber(ARGV[4]))
  redis.call('HSET', KEYS[1], 'frozen_until', frozen_until, 'tokens', 0, 'at', frozen_until)
  redis.call('PEXPIRE', KEYS[1], 600000)
  return frozen_until - now
end
if frozen_until > now then
  return frozen_until - now
end
local tokens, at = tonumber(known[1] or burst), tonumber(known[2] or now)
tokens = math.min(burst, tokens + math.max(0, now - at) * rate / 1000)
local wait = 0
if tokens >= wanted then
  tokens = tokens - wanted
else
  wait = math.ceil((wanted - tokens) * 1000 / rate)
end
redis.call('HSET', KEYS[1], 'tokens', tostring(tokens), 'at', now)
redis.call('PEXPIRE', KEYS[1], 600000)
return wait
