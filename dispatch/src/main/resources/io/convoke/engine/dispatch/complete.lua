-- PROCESSING -> SUCCESS for many tasks, by the pod that holds them.
-- KEYS[1] prefix   ARGV[1] pod   then for each task: id, fence; last the server's run id
-- Returns for each {1 done, 2 already ended, 0 another attempt holds it, -1 unknown, -2 undecided:
-- retry}
local pod, results, ended, stopped, keys, tasks = ARGV[1], {}, {}, {}, {}, {}
for i = 2, #ARGV - 1, 2 do
  keys[#keys + 1] = task_key(ARGV[i])
end
local count = #keys
keys[count + 1], keys[count + 2] = prefix .. 'dispatch:server', prefix .. 'dispatch:generation'
local texts = redis.call('MGET', unpack(keys))
local compared = texts[count + 2] and is_same_server(texts[count + 1])
pending_events = {}
for i = 1, count do
  local id = ARGV[2 * i]
  local t = tasks[id] or (texts[i] and decode(texts[i]) or nil)
  local result = compared and check_holder(id, t, pod, ARGV[2 * i + 1]) or -2
  if result == 1 then
    tasks[id], ended[#ended + 1] = t, id
    if t.desired == 'stop' then
      stopped[#stopped + 1] = id
    end
    finish(id, t, 'SUCCESS', '')
  end
  results[i] = result
end
if not compared then
  wake_maintainer()
end
if #ended > 0 then
  redis.call('ZREM', key('leases', pod), unpack(ended))
end
if #stopped > 0 then
  redis.call('SREM', key('stops', pod), unpack(stopped))
end
write_outbox(pending_events)
return results
