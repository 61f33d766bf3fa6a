-- Stops a task: PENDING -> FAILED 'stopped'; a running task is marked and its pod notified; an
-- ended task does not
-- change.
-- KEYS[1] prefix   ARGV[1] id   ARGV[2] s for which to keep the request for an unknown task, which
-- may be on its way, or 0
-- Returns {1 ended or notified, 2 already stopping or ended, -1 unknown, fields}
local t = load(ARGV[1])
if not t then
  if ARGV[2] ~= '0' then
    redis.call('SET', key('stopped', ARGV[1]), '1', 'EX', ARGV[2])
    redis.call('SET', prefix .. 'dispatch:stopped', '1', 'EX', ARGV[2])
  end
  return {-1}
end
local result = request_stop(ARGV[1], t)
return {result, task_fields(ARGV[1], t)}
