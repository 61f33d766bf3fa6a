-- PROCESSING stays PROCESSING: extends the leases of all tasks that a pod holds and lists the pod.
-- KEYS[1] prefix
-- ARGV[1] pod   ARGV[2] region   ARGV[3] lease ms   ARGV[4] ms for which a pod with tasks stays
-- listed
-- ARGV[5] the same for a pod without tasks   ARGV[6] slots   ARGV[7] free slots   ARGV[8] 'drain'
-- or 'take', as the pod was told last   ARGV[9] the number of that setting, 0 if it was told nothing
-- then for each task: id, fence; last the server's run id
-- Returns {1 if the pod is draining, else 0, the number of that setting, ids to stop, then for each
-- task 1 if extended, 0 if another attempt holds it, -1 if unknown, -2 if undecided: retry}
local leases, answers, keys, kept = key('leases', ARGV[1]), {}, {}, {}
for i = 10, #ARGV - 1, 2 do
  keys[#keys + 1] = task_key(ARGV[i])
end
local until_when, compared = string.format('%d', now + tonumber(ARGV[3])), is_compared()
local texts = #keys > 0 and redis.call('MGET', unpack(keys)) or {}
for i = 1, #keys do
  local id = ARGV[8 + 2 * i]
  local answer = check_holder(id, texts[i] and decode(texts[i]), ARGV[1], ARGV[9 + 2 * i])
  if answer == 1 then
    kept[#kept + 1] = until_when
    kept[#kept + 1] = id
    answers[i] = 1
  elseif compared then
    answers[i] = answer == -1 and -1 or 0
  else
    answers[i] = -2
  end
end
if #kept > 0 then
  redis.call('ZADD', leases, unpack(kept))
end
if not compared then
  wake_maintainer()
end
-- Redis decides whether the pod holds tasks: the pod may have sent this before it received the
-- reply to its last claim.
local holds = redis.call('EXISTS', leases) == 1
redis.call('ZADD', prefix .. 'dispatch:pods', now + tonumber(holds and ARGV[4] or ARGV[5]), ARGV[1])
redis.call('HSET', key('pod', ARGV[1]), 'region', ARGV[2], 'slots', ARGV[6], 'free', ARGV[7])
-- The newest setting counts: if the pod has it, Redis lost it.
local wish = redis.call('HMGET', key('pod', ARGV[1]), 'wish', 'wish_at')
local number = tonumber(wish[2]) or 0
if tonumber(ARGV[9]) > number then
  redis.call('HSET', key('pod', ARGV[1]), 'wish', ARGV[8], 'wish_at', ARGV[9])
  wish[1], number = ARGV[8], tonumber(ARGV[9])
end
return {wish[1] == 'drain' and 1 or 0, number, redis.call('SMEMBERS', key('stops', ARGV[1])), answers}
