-- Extends many locks at once, each only if its token is still there.
-- KEYS[i] the lock   ARGV[2i-1] token   ARGV[2i] timeout in ms
-- Returns 1 for each lock that was extended and 0 for each that is lost, in order.
local held, answers = redis.call('MGET', unpack(KEYS)), {}
for i, key in ipairs(KEYS) do
  if held[i] == ARGV[2 * i - 1] then
    redis.call('PEXPIRE', key, ARGV[2 * i])
    answers[i] = 1
  else
    answers[i] = 0
  end
end
return answers
