-- PROCESSING -> PENDING, "try again", by the pod that holds the task; FAILED after the last attempt,
-- SUCCESS if it was told to stop. It takes its channel's next turn, so that it does not spin.
-- KEYS[1] place   ARGV[1] id   ARGV[2] pod   ARGV[3] fence   ARGV[4] the reason   ARGV[5] most attempts   ARGV[6] the server's run id
-- Returns {1 done, 2 it has ended before, 0 it is another's by now, -1 unknown or -2 that cannot be said yet, state}
local t = load(ARGV[1])
local word = surely_heard(t, ARGV[2], ARGV[3])
if word == 1 then
  give_back(ARGV[1], t, ARGV[4], false, tonumber(ARGV[5]))
end
return {word, t and t.state or ''}
