-- Deletes locks, each only if its token is still ours; one that another took since is left alone.
-- KEYS[i] the lock   ARGV[i] token
-- Returns how many locks were deleted.
local deleted = 0
for i, key in ipairs(KEYS) do
  if redis.call('GET', key) == ARGV[i] then
    deleted = deleted + redis.call('DEL', key)
  end
end
return deleted
