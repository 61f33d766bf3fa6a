-- PROCESSING -> SUCCESS, by the pod that holds the task.
-- KEYS[1] place   ARGV[1] id   ARGV[2] pod   ARGV[3] fence
-- Returns {1 done, 2 it was before, 0 it is another's by now or -1 unknown, state}
local t = load(ARGV[1])
local word = heard(t, ARGV[2], ARGV[3])
if word == 1 then
  unhold(ARGV[1], t)
  finish(ARGV[1], t, 'SUCCESS', '')
end
return {word, t and t.state or ''}
