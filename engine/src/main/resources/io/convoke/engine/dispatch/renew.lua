-- PROCESSING stays: extends the leases of all tasks that a pod holds, and says that the pod lives.
-- KEYS[1] place
-- ARGV[1] pod   ARGV[2] region   ARGV[3] lease ms   ARGV[4] ms that the pod counts as alive
-- ARGV[5] slots   ARGV[6] free slots   then for each task: id, fence
-- Returns {ids to stop, then for each task 1 if extended or 0 if it is not the pod's any more}
local leases, answers = key('leases', ARGV[1]), {}
for i = 7, #ARGV, 2 do
  local f = redis.call('HMGET', task_of(ARGV[i]), 'state', 'fence', 'pod_id')
  if f[1] == 'PROCESSING' and f[2] == ARGV[i + 1] and f[3] == ARGV[1] then
    redis.call('ZADD', leases, now + tonumber(ARGV[3]), ARGV[i])
    answers[#answers + 1] = 1
  else
    answers[#answers + 1] = 0
  end
end
redis.call('ZADD', place .. 'dispatch:pods', now + tonumber(ARGV[4]), ARGV[1])
redis.call('HSET', key('pod', ARGV[1]), 'region', ARGV[2], 'slots', ARGV[5], 'free', ARGV[6])
return {redis.call('SMEMBERS', key('stops', ARGV[1])), answers}
