-- PROCESSING -> SUCCESS for many, by the pod that holds them.
-- KEYS[1] place   ARGV[1] pod   then for each task: id, fence
-- Returns for each {1 done, 2 it was before, 0 it is another's by now or -1 unknown}
local pod, words, over, stopped, keys, tasks = ARGV[1], {}, {}, {}, {}, {}
for i = 2, #ARGV, 2 do
  keys[#keys + 1] = task_of(ARGV[i])
end
local texts = redis.call('MGET', unpack(keys))
told = {}
for i = 1, #texts do
  local id = ARGV[2 * i]
  local t = tasks[id] or (texts[i] and unpacked(texts[i]) or nil)
  local word = heard(t, pod, ARGV[2 * i + 1])
  if word == 1 then
    tasks[id], over[#over + 1] = t, id
    if t.desired == 'stop' then
      stopped[#stopped + 1] = id
    end
    finish(id, t, 'SUCCESS', '')
  end
  words[i] = word
end
if #over > 0 then
  redis.call('ZREM', key('leases', pod), unpack(over))
end
if #stopped > 0 then
  redis.call('SREM', key('stops', pod), unpack(stopped))
end
tell_world(told)
return words
