-- Nothing -> PENDING: takes in tasks, each once for its request however often it is asked.
-- KEYS[1] place
-- ARGV, for each task: id, request id, region or '', channel, type, 'channel' if the channel may have only
-- this task, else '', id|spec (JSON), the generation in which the ledger accepted it or '*'; then at the end: ms that a task may wait, most tasks of a queue
-- Returns for each {1, ms of the clock} taken in, {0, id, task} the request's task of before,
-- {-1} the id is another request's, {-2, id} the channel has that task, {-3} the queue is full,
-- {1, id, task} taken in and stopped at once, {-4} another generation stands here
local EACH = 8
local window, most = tonumber(ARGV[#ARGV - 1]), tonumber(ARGV[#ARGV])
local count = (#ARGV - 2) / EACH
local keys = {}
for i = 1, count do
  keys[2 * i - 1] = request_of(ARGV[(i - 1) * EACH + 2])
  keys[2 * i] = task_of(ARGV[(i - 1) * EACH + 1])
end
keys[2 * count + 1], keys[2 * count + 2] = place .. 'dispatch:generation', place .. 'dispatch:stopped'
local known = redis.call('MGET', unpack(keys))
local generation, stopped = known[2 * count + 1] or '', known[2 * count + 2]
local answers, values, lanes, order, sizes = {}, {}, {}, {}, {}
-- What this call has taken in so far: tasks by id, and what was asked for by request.
local fresh, asked = {}, {}
-- As tell() words it.
local first, due = 'PENDING|0|' .. NOW .. '|||run|', now + window
told = {}

local function size_of(lane)
  if not sizes[lane] then
    sizes[lane], lanes[lane], order[#order + 1] = redis.call('ZCARD', queue_of(lane)), {}, lane
  end
  return sizes[lane]
end

local function take_in(i)
  local a = (i - 1) * EACH
  local id, request, channel, unique = ARGV[a + 1], ARGV[a + 2], ARGV[a + 4], ARGV[a + 6]
  local lane = ARGV[a + 3] == '' and 'global' or ARGV[a + 3]
  local before = asked[request] or known[2 * i - 1]
  if before then
    local other = string.match(before, '^[^|]*')
    local earlier = fresh[other] and unpacked(fresh[other]) or load(other)
    if earlier then
      return {0, other, view(other, earlier, before)}
    end
  end
  if ARGV[a + 8] ~= '*' and ARGV[a + 8] ~= generation then
    return {-4}
  elseif fresh[id] or known[2 * i] then
    return {-1}
  elseif size_of(lane) >= most then
    return {-3}
  end
  if unique == 'channel' then
    local other = redis.call('GET', key('channel', channel))
    if other and (fresh[other] or redis.call('EXISTS', task_of(other)) == 1) then
      return {-2, other}
    end
    redis.call('SET', key('channel', channel), id)
  end
  local text = born(lane, channel, ARGV[a + 5], request, unique, window)
  fresh[id], asked[request], sizes[lane] = text, ARGV[a + 7], sizes[lane] + 1
  local at, tasks = #values, lanes[lane]
  values[at + 1], values[at + 2], values[at + 3], values[at + 4] = keys[2 * i - 1], ARGV[a + 7], keys[2 * i], text
  tasks[#tasks + 1] = {id, channel, due, ARGV[a + 5]}
  local last = #told
  told[last + 1], told[last + 2] = id .. '|1', first
  return {1, now}
end

for i = 1, count do
  answers[i] = take_in(i)
end
if #values > 0 then
  redis.call('MSET', unpack(values))
  for i = 1, #order do
    if #lanes[order[i]] > 0 then
      put_all(order[i], lanes[order[i]])
    end
  end
  -- Wishes to stop that were faster.
  if stopped then
    for i = 1, count do
      local id = ARGV[(i - 1) * EACH + 1]
      if answers[i][1] == 1 and redis.call('DEL', key('stopped', id)) == 1 then
        local t = unpacked(fresh[id])
        wish_stop(id, t)
        answers[i] = {1, id, view(id, t)}
      end
    end
  end
end
tell_world(told)
return answers
