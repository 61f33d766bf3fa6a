-- Returns the fields of tasks; changes nothing.
-- KEYS[1] prefix   ARGV[i] id
-- Returns for each its fields; the first is nil if the task is unknown
local answers = {}
for i, id in ipairs(ARGV) do
  answers[i] = task_fields(id, load(id))
end
return answers
