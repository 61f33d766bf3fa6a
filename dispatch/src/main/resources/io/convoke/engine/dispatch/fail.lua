-- PROCESSING -> FAILED for good, by the pod that holds the task; SUCCESS if it was told to stop.
-- KEYS[1] place   ARGV[1] id   ARGV[2] pod   ARGV[3] fence   ARGV[4] the reason   ARGV[5] the server's run id
-- Returns {1 done, 2 it was before, 0 it is another's by now, -1 unknown or -2 that cannot be said yet, state}
local t = load(ARGV[1])
local word = surely_heard(ARGV[1], t, ARGV[2], ARGV[3])
if word == 1 then
  unhold(ARGV[1], t)
  if t.desired == 'stop' then
    finish(ARGV[1], t, 'SUCCESS', '')
  else
    finish(ARGV[1], t, 'FAILED', ARGV[4])
  end
end
return {word, t and t.state or ''}
