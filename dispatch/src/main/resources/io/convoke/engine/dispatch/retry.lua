-- PROCESSING -> PENDING by the pod that holds the task, when it is to be tried again later or by another pod; FAILED
-- after the last attempt, SUCCESS if it was told to stop. What is tried again waits for its backoff, then for its
-- channel's turn. What a pod hands back without a fault of the task's is at the head at once and is no failed try.
-- KEYS[1] place   ARGV[1] id   ARGV[2] pod   ARGV[3] fence   ARGV[4] the reason   ARGV[5] most attempts that fail in a
-- row   ARGV[6] lease ms   ARGV[7] first backoff ms, or '' if it is handed back   ARGV[8] longest backoff ms   ARGV[9] jitter,
-- a fraction of the backoff   ARGV[10] the server's run id
-- Returns {1 done, 2 it has ended before, 0 it is another's by now, -1 unknown or -2 that cannot be said yet, state}
local t = load(ARGV[1])
local word = surely_heard(ARGV[1], t, ARGV[2], ARGV[3])
if word == 1 then
  local tried = ARGV[7] ~= ''
  give_back(ARGV[1], t, {why = ARGV[4], most = tonumber(ARGV[5]), lease_ms = tonumber(ARGV[6]), failed = tried, head = not tried,
    backoff_ms = tonumber(ARGV[7]), backoff_max_ms = tonumber(ARGV[8]), jitter = tonumber(ARGV[9])})
end
return {word, t and t.state or ''}
