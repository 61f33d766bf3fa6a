-- PROCESSING -> PENDING by the pod that holds the task, to be retried later or by another pod;
-- FAILED after the last
-- attempt, SUCCESS if it was to stop. A retry waits for its backoff, then for its channel's turn. A
-- task that a pod hands
-- back goes to the head of its queue at once and does not count as failed.
-- KEYS[1] prefix   ARGV[1] id   ARGV[2] pod   ARGV[3] fence   ARGV[4] reason   ARGV[5] consecutive
-- failures allowed
-- ARGV[6] lease ms   ARGV[7] first backoff ms, or '' if it is handed back   ARGV[8] longest backoff
-- ms   ARGV[9] jitter as
-- a fraction of the backoff   ARGV[10] the server's run id
-- Returns {1 done, 2 already ended, 0 another attempt holds it, -1 unknown or -2 undecided: retry,
-- state}
local t = load(ARGV[1])
local result = check_holder_if_compared(ARGV[1], t, ARGV[2], ARGV[3])
if result == 1 then
  local tried = ARGV[7] ~= ''
  return_task(ARGV[1], t, {why = ARGV[4], most = tonumber(ARGV[5]), lease_ms = tonumber(ARGV[6]), failed = tried, head = not tried,
    backoff_ms = tonumber(ARGV[7]), backoff_max_ms = tonumber(ARGV[8]), jitter = tonumber(ARGV[9])})
end
return {result, t and t.state or ''}
