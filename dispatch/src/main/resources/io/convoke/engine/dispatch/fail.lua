-- PROCESSING -> FAILED without retry, by the pod that holds the task; SUCCESS if it was to stop.
-- KEYS[1] prefix   ARGV[1] id   ARGV[2] pod   ARGV[3] fence   ARGV[4] reason   ARGV[5] the server's
-- run id
-- Returns {1 done, 2 already ended, 0 another attempt holds it, -1 unknown or -2 undecided: retry,
-- state}
local t = load(ARGV[1])
local result = check_holder_if_compared(ARGV[1], t, ARGV[2], ARGV[3])
if result == 1 then
  drop_lease(ARGV[1], t)
  if t.desired == 'stop' then
    finish(ARGV[1], t, 'SUCCESS', '')
  else
    finish(ARGV[1], t, 'FAILED', ARGV[4])
  end
end
return {result, t and t.state or ''}
