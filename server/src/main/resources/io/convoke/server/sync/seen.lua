-- Notes how far of the journal is in the cache; never goes back.
-- KEYS[1] convoke:sync:cursor   ARGV[1] the sequence
local known = tonumber(redis.call('GET', KEYS[1]) or '-1')
if known < tonumber(ARGV[1]) then
  redis.call('SET', KEYS[1], ARGV[1])
end
return 1
