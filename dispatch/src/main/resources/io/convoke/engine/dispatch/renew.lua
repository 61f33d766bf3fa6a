-- PROCESSING stays: extends the leases of all tasks that a pod holds, and lists the pod.
-- KEYS[1] place
-- ARGV[1] pod   ARGV[2] region   ARGV[3] lease ms   ARGV[4] ms for which a pod with tasks is listed after a claim or a renewal
-- ARGV[5] the same for a pod without tasks   ARGV[6] slots   ARGV[7] free slots   then for each task: id, fence; last the
-- server's run id
-- Returns {1 if it is to take no task, else 0, ids to stop, then for each task 1 if extended, 0 if it is not the pod's any
-- more, -1 if there is no such task or -2 if that cannot be said yet}
local leases, answers, keys, kept = key('leases', ARGV[1]), {}, {}, {}
for i = 8, #ARGV - 1, 2 do
  keys[#keys + 1] = task_of(ARGV[i])
end
local until_when, sure = string.format('%d', now + tonumber(ARGV[3])), is_compared()
local texts = #keys > 0 and redis.call('MGET', unpack(keys)) or {}
for i = 1, #keys do
  local id = ARGV[6 + 2 * i]
  local answer = heard(id, texts[i] and unpacked(texts[i]), ARGV[1], ARGV[7 + 2 * i])
  if answer == 1 then
    kept[#kept + 1] = until_when
    kept[#kept + 1] = id
    answers[i] = 1
  elseif sure then
    answers[i] = answer == -1 and -1 or 0
  else
    answers[i] = -2
  end
end
if #kept > 0 then
  redis.call('ZADD', leases, unpack(kept))
end
if not sure then
  call_tender()
end
-- Whether it holds something is not the pod's to say: this may have been sent before its last claim was answered.
local holds = redis.call('EXISTS', leases) == 1
redis.call('ZADD', place .. 'dispatch:pods', now + tonumber(holds and ARGV[4] or ARGV[5]), ARGV[1])
redis.call('HSET', key('pod', ARGV[1]), 'region', ARGV[2], 'slots', ARGV[6], 'free', ARGV[7])
-- A pod that offers nothing was told so by a store that had not forgotten it.
if ARGV[6] == '0' then
  redis.call('HSETNX', key('pod', ARGV[1]), 'wish', 'drain')
end
return {redis.call('HGET', key('pod', ARGV[1]), 'wish') == 'drain' and 1 or 0, redis.call('SMEMBERS', key('stops', ARGV[1])), answers}
