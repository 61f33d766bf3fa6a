-- The wish to stop: PENDING -> FAILED 'stopped'; a running task is to stop, whatever comes then, and
-- its pod is told; an end stays as it is.
-- KEYS[1] place   ARGV[1] id
-- Returns {1 ended or told, 2 it was told or had ended before, -1 unknown, fields}
local t = load(ARGV[1])
if not t then
  return {-1}
end
return {wish_stop(ARGV[1], t), view(ARGV[1])}
