-- Claims the next reconciliation tick, and returns the tick period to use. Changes found by the fleet
-- are counted in two windows, the current one and the one before it.
-- KEYS[1] tick lock   KEYS[2] webhook   KEYS[3] prefix of the counts   KEYS[4] budget
-- ARGV[1] period ms   ARGV[2] period ms while the webhook is not healthy   ARGV[3] window ms
-- ARGV[4] changes found by webhooks since this node's last call   ARGV[5] by the timer   ARGV[6] changes by the
-- timer that make silence of the webhook suspicious, 0 for never   ARGV[7] calls per second   ARGV[8] burst
-- Returns {1 if this node runs the tick, 1 if ticks are more frequent, 1 if only the timer finds changes}
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local window, suspicious = tonumber(ARGV[3]), tonumber(ARGV[6])
local number = math.floor(now / window)
local running = KEYS[3] .. string.format('%.0f', number)
if ARGV[4] ~= '0' then
  redis.call('HINCRBY', running, 'webhook', ARGV[4])
end
if ARGV[5] ~= '0' then
  redis.call('HINCRBY', running, 'timer', ARGV[5])
end
if ARGV[4] ~= '0' or ARGV[5] ~= '0' then
  redis.call('PEXPIRE', running, 3 * window)
end

local webhook, timer = 0, 0
for _, key in ipairs({running, KEYS[3] .. string.format('%.0f', number - 1)}) do
  local counts = redis.call('HMGET', key, 'webhook', 'timer')
  webhook = webhook + tonumber(counts[1] or 0)
  timer = timer + tonumber(counts[2] or 0)
end
local silent = suspicious > 0 and webhook == 0 and timer >= suspicious

local function affordable()
  local known = redis.call('HMGET', KEYS[4], 'tokens', 'at', 'frozen_until')
  if tonumber(known[3] or 0) > now then
    return false
  end
  local tokens, at = tonumber(known[1] or ARGV[8]), tonumber(known[2] or now)
  return tokens + math.max(0, now - at) * tonumber(ARGV[7]) / 1000 >= tonumber(ARGV[8]) / 2
end

local remote = redis.call('HGET', KEYS[2], 'remote')
local broken = silent or remote == 'failed' or remote == 'missing' or remote == 'elsewhere'
local sooner = broken and affordable()
local period = tonumber(sooner and ARGV[2] or ARGV[1])
local mine = redis.call('SET', KEYS[1], '1', 'NX', 'PX', math.floor(period * 0.9))
return {mine and 1 or 0, sooner and 1 or 0, silent and 1 or 0}
