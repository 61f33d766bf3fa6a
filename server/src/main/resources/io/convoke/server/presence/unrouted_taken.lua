-- Removes unrouted events that were routed, if the lock is still this drain's.
-- KEYS[1] lock   KEYS[2] list
-- ARGV[1] holder   ARGV[2] number of events, the oldest   ARGV[3] ms to keep the lock, 0 to give it up
-- Returns 1, or 0 if the lock ran out or is another's: then nothing changes.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return 0
end
redis.call('LTRIM', KEYS[2], ARGV[2], -1)
if ARGV[3] == '0' then
  redis.call('DEL', KEYS[1])
else
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
end
return 1
