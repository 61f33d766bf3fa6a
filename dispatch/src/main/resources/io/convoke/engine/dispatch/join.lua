-- On a cluster: notes that regions have places, and says which have one. Some who tends hears of a new one.
-- KEYS[1] place, the global one   ARGV[1] most regions   then regions
-- Returns all regions that have a place; one that was asked for is missing if there are too many
local places, new = place .. 'dispatch:places', false
for i = 2, #ARGV do
  if redis.call('SISMEMBER', places, ARGV[i]) == 0 and redis.call('SCARD', places) < tonumber(ARGV[1]) then
    redis.call('SADD', places, ARGV[i])
    new = true
  end
end
if new then
  call_tender()
end
return redis.call('SMEMBERS', places)
