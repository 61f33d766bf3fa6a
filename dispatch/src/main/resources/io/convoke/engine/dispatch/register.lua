-- Cluster only: registers the key spaces of regions and wakes a maintainer for a new one.
-- KEYS[1] prefix of the global key space   ARGV[1] most regions   then regions
-- Returns all registered regions; a region is missing if there are too many
local directory, new = prefix .. 'dispatch:places', false
for i = 2, #ARGV do
  if redis.call('SISMEMBER', directory, ARGV[i]) == 0 and redis.call('SCARD', directory) < tonumber(ARGV[1]) then
    redis.call('SADD', directory, ARGV[i])
    new = true
  end
end
if new then
  wake_maintainer()
end
return redis.call('SMEMBERS', directory)
