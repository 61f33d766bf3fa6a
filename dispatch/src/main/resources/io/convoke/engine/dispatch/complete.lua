-- PROCESSING -> SUCCESS for many tasks, by the pod that holds them.
-- KEYS[1] prefix   ARGV[1] pod   then for each task: id, fence; last the server's run id
-- Returns for each {1 done, 2 already ended, 0 another attempt holds it, -1 unknown, -2 undecided:
-- retry}
local pod, results, ended, stopped, keys, tasks = ARGV[1], {}, {}, {}, {}, {}
local args = ARGV
local count = (#args - 2) / 2
for i = 1, count do
  keys[i] = TASK .. args[2 * i]
end
keys[count + 1], keys[count + 2] = prefix .. 'dispatch:server', prefix .. 'dispatch:generation'
local texts = redis.call('MGET', unpack(keys))
local compared = texts[count + 2] and is_same_server(texts[count + 1])
pending_events = {}
local events, middle = pending_events, '|' .. NOW .. '|' .. pod .. '|'

-- SUCCESS of a task that this attempt of this pod holds; nil if it does not.
local function succeed(id, name, text, reported)
  local state, desired, attempt, retries, created_at, pending_at, processed_at, _, _, worker, fence, lane, holder, channel,
    type_of, request, unique, window, number, tries = unpack_state(text)
  if fence ~= reported or holder ~= pod or state ~= 'PROCESSING' then
    return nil
  end
  number, tries = number + 1, tries or 0
  text = pack_state('SUCCESS', desired, attempt, retries, created_at, pending_at, processed_at, now, '', worker, fence, lane, pod,
    channel, type_of, request, unique, window, number, tries)
  keep_ended(id, name, text, request, unique, channel)
  local last = #events
  events[last + 1] = id .. '|' .. digits[number]
  events[last + 2] = 'SUCCESS|' .. (tries == 0 and digits[attempt] or attempt_field('SUCCESS', attempt, tries, pending_at)) ..
    middle .. worker .. '|' .. desired .. '|'
  ended[#ended + 1] = id
  if desired == 'stop' then
    stopped[#stopped + 1] = id
  end
  return text
end

for i = 1, count do
  local id, fence, result = args[2 * i], args[2 * i + 1], -2
  if compared then
    local text = tasks[id] or texts[i]
    local done = text and succeed(id, keys[i], text, fence)
    if done then
      result = 1
    else
      local t = text and decode(text) or nil
      result = check_holder(id, t, pod, fence)
      if result == 1 then
        -- A report about a restored task was accepted.
        done = succeed(id, keys[i], encode(t), fence)
      end
    end
    tasks[id] = done or tasks[id]
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
