-- The wish to stop: PENDING -> FAILED 'stopped'; a running task is to stop, whatever comes then, and
-- its pod is told; an end stays as it is.
-- KEYS[1] place   ARGV[1] id   ARGV[2] s for which a wish about an unknown task is kept, or 0: it may
-- be taken in just now
-- Returns {1 ended or told, 2 it was told or had ended before, -1 unknown, fields}
local t = load(ARGV[1])
if not t then
  if ARGV[2] ~= '0' then
    redis.call('SET', key('stopped', ARGV[1]), '1', 'EX', ARGV[2])
    redis.call('SET', place .. 'dispatch:stopped', '1', 'EX', ARGV[2])
  end
  return {-1}
end
local word = wish_stop(ARGV[1], t)
return {word, view(ARGV[1], t)}
