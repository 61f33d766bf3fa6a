-- What is known of tasks. Changes nothing.
-- KEYS[1] place   ARGV[i] id
-- Returns for each its fields; the first of them is nil when the task is unknown
local answers = {}
for i, id in ipairs(ARGV) do
  answers[i] = view(id, load(id))
end
return answers
