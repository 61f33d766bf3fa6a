-- Lets time pass for one meeting: what is written for later comes nearer by so much, and leases end
-- sooner. To a script that only compares instants with now, that is the same as waiting.
-- KEYS[1] ready   KEYS[2] state   then keys with an expiry
-- ARGV[1] ms   ARGV[2] meeting
-- Returns how many keys expired.
local ms = tonumber(ARGV[1])
if redis.call('ZSCORE', KEYS[1], ARGV[2]) then
  redis.call('ZINCRBY', KEYS[1], -ms, ARGV[2])
end
for _, field in ipairs({'poll_at', 'earliest', 'polling'}) do
  local at = redis.call('HGET', KEYS[2], field)
  if at then
    redis.call('HSET', KEYS[2], field, string.format('%.0f', tonumber(at) - ms))
  end
end
local expired = 0
for i = 3, #KEYS do
  local left = redis.call('PTTL', KEYS[i])
  if left >= 0 and left <= ms then
    expired = expired + redis.call('DEL', KEYS[i])
  elseif left > 0 then
    redis.call('PEXPIRE', KEYS[i], left - ms)
  end
end
return expired
