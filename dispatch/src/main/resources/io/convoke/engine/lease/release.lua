-- Deletes locks, each only if its token is still ours; one that another took since is left alone.
-- KEYS[i] the lock   ARGV[i] token
-- Returns how many locks were deleted.
local held, ours = redis.call('MGET', unpack(KEYS)), {}
for i, key in ipairs(KEYS) do
  if held[i] == ARGV[i] then
    ours[#ours + 1] = key
  end
end
return #ours == 0 and 0 or redis.call('DEL', unpack(ours))
