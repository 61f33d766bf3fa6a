-- Nothing -> PENDING: adds tasks. Idempotent by request id.
-- KEYS[1] prefix
-- ARGV, for each task: id, request id, region or '', channel, type, 'channel' if the channel may
-- have only this open
-- task, else '', id|spec (JSON), the generation in which the database accepted it or '*'; at the
-- end: task timeout in ms,
-- most tasks of a queue
-- Returns the time in ms, then for each 1 added, {0, id, task} the request already has this task, {-1} the
-- id belongs to another
-- request, {-2, id} the channel has that open task, {-3} the queue is full, {1, id, task} added and
-- stopped at once,
-- {-4} the key space has another generation
local EACH = 8
local window, most = tonumber(ARGV[#ARGV - 1]), tonumber(ARGV[#ARGV])
local args, count = ARGV, (#ARGV - 2) / EACH
local keys = {}
for i = 1, count do
  local a = (i - 1) * EACH
  keys[2 * i - 1], keys[2 * i] = REQUEST .. args[a + 2], TASK .. args[a + 1]
end
keys[2 * count + 1], keys[2 * count + 2] = prefix .. 'dispatch:generation', prefix .. 'dispatch:stopped'
local known = redis.call('MGET', unpack(keys))
local generation, stopped = known[2 * count + 1] or '', known[2 * count + 2]
local answers, values, lanes, order, sizes = {now}, {}, {}, {}, {}
-- Tasks added by this call: state by task id, spec by request id.
local fresh, asked = {}, {}
-- In the format of emit().
local first, due = 'PENDING|0|' .. NOW .. '|||run|', now + window
pending_events = {}
local events, added = pending_events, 0

local function size_of(lane)
  if not sizes[lane] then
    sizes[lane], lanes[lane], order[#order + 1] = redis.call('ZCARD', queue_key(lane)), {}, lane
  end
  return sizes[lane]
end

local function insert(i)
  local a = (i - 1) * EACH
  local id, request, lane, channel, type_of, unique, spec = args[a + 1], args[a + 2], args[a + 3], args[a + 4], args[a + 5],
    args[a + 6], args[a + 7]
  if lane == '' then
    lane = 'global'
  end
  local before = asked[request] or known[2 * i - 1]
  if before then
    local other = string.match(before, '^[^|]*')
    local earlier = fresh[other] and decode(fresh[other]) or load(other)
    if earlier then
      return {0, other, task_fields(other, earlier, before)}
    end
  end
  if args[a + 8] ~= '*' and args[a + 8] ~= generation then
    return {-4}
  elseif fresh[id] or known[2 * i] then
    return {-1}
  elseif size_of(lane) >= most then
    return {-3}
  end
  if unique == 'channel' then
    local other = redis.call('GET', key('channel', channel))
    if other and (fresh[other] or redis.call('EXISTS', task_key(other)) == 1) then
      return {-2, other}
    end
    redis.call('SET', key('channel', channel), id)
  end
  local text, tasks, at = new_task(lane, channel, type_of, request, unique, window), lanes[lane], 4 * added
  fresh[id], asked[request], sizes[lane], added = text, spec, sizes[lane] + 1, added + 1
  values[at + 1], values[at + 2], values[at + 3], values[at + 4] = keys[2 * i - 1], spec, keys[2 * i], text
  tasks[#tasks + 1] = {id, channel, due, type_of}
  events[2 * added - 1], events[2 * added] = id .. '|1', first
  return 1
end

for i = 1, count do
  answers[i + 1] = insert(i)
end
if #values > 0 then
  redis.call('MSET', unpack(values))
  for i = 1, #order do
    if #lanes[order[i]] > 0 then
      push_all(order[i], lanes[order[i]])
    end
  end
  -- Stop requests that arrived before their task.
  if stopped then
    for i = 1, count do
      local id = ARGV[(i - 1) * EACH + 1]
      if answers[i + 1] == 1 and redis.call('DEL', key('stopped', id)) == 1 then
        local t = decode(fresh[id])
        request_stop(id, t)
        answers[i + 1] = {1, id, task_fields(id, t)}
      end
    end
  end
end
write_outbox(pending_events)
return answers
