-- Reads the state of presence for metrics and /readyz, in one call.
-- KEYS[1] ready   KEYS[2] rooms   KEYS[3] unrouted   KEYS[4] last tick   KEYS[5] webhook   KEYS[6] budget
-- ARGV[1] calls per second   ARGV[2] burst   ARGV[3] due meetings whose evidence is counted
-- Returns {queued, ms that the oldest has been due or -1, events of those, unrouted, rooms, ms since the last
-- tick or -1, webhook state or '', calls left, ms frozen}
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local overdue = -1
local head = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
if #head > 0 and tonumber(head[2]) <= now then
  overdue = now - tonumber(head[2])
end
local evidence = 0
for _, meeting in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, ARGV[3])) do
  evidence = evidence + redis.call('LLEN', 'convoke:evidence:' .. meeting)
end
local ticked = redis.call('HGET', KEYS[4], 'at')
local budget = redis.call('HMGET', KEYS[6], 'tokens', 'at', 'frozen_until')
local burst = tonumber(ARGV[2])
local tokens, at = tonumber(budget[1] or burst), tonumber(budget[2] or now)
return {redis.call('ZCARD', KEYS[1]), overdue, evidence, redis.call('LLEN', KEYS[3]),
  redis.call('HLEN', KEYS[2]), ticked and math.max(0, now - tonumber(ticked)) or -1,
  redis.call('HGET', KEYS[5], 'state') or '',
  math.floor(math.min(burst, tokens + math.max(0, now - at) * tonumber(ARGV[1]) / 1000)),
  math.max(0, tonumber(budget[3] or 0) - now)}
