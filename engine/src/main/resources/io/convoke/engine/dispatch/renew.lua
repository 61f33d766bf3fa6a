-- PROCESSING stays: extends the leases of all tasks that a pod holds, and says that the pod lives.
-- KEYS[1] place
-- ARGV[1] pod   ARGV[2] region   ARGV[3] lease ms   ARGV[4] ms that a pod with tasks counts as alive
-- ARGV[5] ms that it does otherwise   ARGV[6] slots   ARGV[7] free slots   then for each task: id, fence
-- Returns {1 if it is to take no task, else 0, ids to stop, then for each task 1 if extended or 0 if it is not the pod's any more}
local leases, answers, keys, kept = key('leases', ARGV[1]), {}, {}, {}
for i = 8, #ARGV, 2 do
  keys[#keys + 1] = task_of(ARGV[i])
end
local until_when = string.format('%d', now + tonumber(ARGV[3]))
local texts = #keys > 0 and redis.call('MGET', unpack(keys)) or {}
for i = 1, #keys do
  local id, fence = ARGV[6 + 2 * i], ARGV[7 + 2 * i]
  local t = texts[i] and unpacked(texts[i])
  if t and t.state == 'PROCESSING' and t.fence == fence and t.pod == ARGV[1] then
    kept[#kept + 1] = until_when
    kept[#kept + 1] = id
    answers[i] = 1
  else
    answers[i] = 0
  end
end
if #kept > 0 then
  redis.call('ZADD', leases, unpack(kept))
end
-- Whether it holds something is not its own to say: this may have been sent before its last claim was answered.
local holds = redis.call('EXISTS', leases) == 1
redis.call('ZADD', place .. 'dispatch:pods', now + tonumber(holds and ARGV[4] or ARGV[5]), ARGV[1])
redis.call('HSET', key('pod', ARGV[1]), 'region', ARGV[2], 'slots', ARGV[6], 'free', ARGV[7])
-- Who offers nothing was told so, by a store that had not forgotten it.
if ARGV[6] == '0' then
  redis.call('HSETNX', key('pod', ARGV[1]), 'wish', 'drain')
end
return {redis.call('HGET', key('pod', ARGV[1]), 'wish') == 'drain' and 1 or 0, redis.call('SMEMBERS', key('stops', ARGV[1])), answers}
