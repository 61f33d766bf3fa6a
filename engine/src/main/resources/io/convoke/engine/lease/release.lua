-- Deletes a lock if the token is still ours; a lock that another took since is left alone.
-- KEYS[1] the lock   ARGV[1] token
-- Returns 1 if the lock was deleted.
if redis.call('GET', KEYS[1]) == ARGV[1] then
  return redis.call('DEL', KEYS[1])
end
return 0
