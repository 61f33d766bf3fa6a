-- PROCESSING -> SUCCESS for many, by the pod that holds them.
-- KEYS[1] place   ARGV[1] pod   then for each task: id, fence; last the server's run id
-- Returns for each {1 done, 2 it was before, 0 it is another's by now, -1 unknown or -2 that cannot be said yet}
local pod, words, over, stopped, keys, tasks = ARGV[1], {}, {}, {}, {}, {}
for i = 2, #ARGV - 1, 2 do
  keys[#keys + 1] = task_of(ARGV[i])
end
local count = #keys
keys[count + 1], keys[count + 2] = place .. 'dispatch:server', place .. 'dispatch:generation'
local texts = redis.call('MGET', unpack(keys))
local sure = texts[count + 2] and is_life(texts[count + 1])
told = {}
for i = 1, count do
  local id = ARGV[2 * i]
  local t = tasks[id] or (texts[i] and unpacked(texts[i]) or nil)
  local word = sure and heard(id, t, pod, ARGV[2 * i + 1]) or -2
  if word == 1 then
    tasks[id], over[#over + 1] = t, id
    if t.desired == 'stop' then
      stopped[#stopped + 1] = id
    end
    finish(id, t, 'SUCCESS', '')
  end
  words[i] = word
end
if not sure then
  call_tender()
end
if #over > 0 then
  redis.call('ZREM', key('leases', pod), unpack(over))
end
if #stopped > 0 then
  redis.call('SREM', key('stops', pod), unpack(stopped))
end
tell_world(told)
return words
