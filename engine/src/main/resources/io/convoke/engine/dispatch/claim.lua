-- PENDING -> PROCESSING: gives a pod tasks for its free slots, its own region's first, then those of
-- the global queue, one lane after the other. A task that waited too long is marked instead of given.
-- KEYS[1] place
-- ARGV[1] pod   ARGV[2] region   ARGV[3] lease ms   ARGV[4] ms that a pod with tasks counts as alive
-- ARGV[5] ms that it does otherwise   ARGV[6] ms before its deadline from which a task is near it
-- ARGV[7] region's lane, or ''   ARGV[8] 'global' if the global queue is asked too, else ''
-- ARGV[9] slots of the pod   ARGV[10] free capacity   ARGV[11] whole capacity
-- ARGV[12] cost of a type that is not named, or -1 for a pod that takes named types only
-- ARGV[13] number of free slots, then the slots, then types with their costs; last the server's run id
-- Returns {1 if more waits, else 0, what follows the attempt in a fence, ms of the clock, end of the leases, {for each task
-- slot, attempt, retries, created at, waits since, lane}, {their requests}}
local pod, region, lease_end, near_at = ARGV[1], ARGV[2], now + tonumber(ARGV[3]), now + tonumber(ARGV[6])
local free, whole, other_cost = tonumber(ARGV[10]), tonumber(ARGV[11]), tonumber(ARGV[12])
local slots, costs = {}, {}
for i = 1, tonumber(ARGV[13]) do
  slots[i] = ARGV[13 + i]
end
for i = 14 + #slots, #ARGV - 2, 2 do
  costs[ARGV[i]] = tonumber(ARGV[i + 1])
end
local given, more = {}, 0
local drained = redis.call('HGET', key('pod', pod), 'wish') == 'drain'
local known = redis.call('MGET', place .. 'dispatch:generation', place .. 'dispatch:server')
local generation, sure = known[1] or '0', is_life(known[2])
local willing = sure and not drained
if willing then
  end_delays()
end
-- What is written at the end for all that were given.
local values, leases, requests, lease_text = {}, {}, {}, string.format('%d', lease_end)
told = {}

local function give(id, t)
  local count = #requests
  local slot = slots[count + 1]
  t.state, t.attempt, t.move, t.pod, t.worker = 'PROCESSING', t.attempt + 1, t.move + 1, pod, slot
  t.fence, t.processed_at, t.error = t.attempt .. '.' .. generation, now, ''
  local at = 2 * count
  values[at + 1], values[at + 2] = task_of(id), packed(t)
  leases[at + 1], leases[at + 2] = lease_text, id
  tell(id, t, '')
  requests[count + 1], at = request_of(t.request), 6 * count
  given[at + 1], given[at + 2], given[at + 3], given[at + 4] = slot, t.attempt, t.retries, t.created_at
  given[at + 5], given[at + 6] = t.pending_at, t.lane
end

-- What becomes of one that waits: 'given', 'gone', 'unfit' for this pod, or 'full' until it has room.
local function offer(id, text)
  local t = text and unpacked(text)
  if not t or t.state ~= 'PENDING' then
    return 'gone'
  elseif now > t.due then
    finish(id, t, 'TIMEOUT', 'waited longer than ' .. t.window .. ' ms')
    return 'gone'
  end
  local cost = costs[t.type] or other_cost
  if cost < 0 or cost > whole then
    return 'unfit'
  elseif cost > free then
    return 'full'
  end
  free = free - cost
  give(id, t)
  return 'given'
end

-- Reads the next tasks of a list whose every so-manieth word is an id.
local function read(texts, list, from, step, count)
  local ids, keys = {}, {}
  for at = from, math.min(#list, from + step * (count - 1)), step do
    if texts[list[at]] == nil then
      ids[#ids + 1], keys[#keys + 1] = list[at], task_of(list[at])
    end
  end
  local found = redis.call('MGET', unpack(keys))
  for i = 1, #ids do
    texts[ids[i]] = found[i]
  end
end

-- Gives at most so many of a lane. One pick goes by deadline, if one is near, and the next by turn.
local function serve(lane, most)
  local look = most + 16
  local fair = redis.call('ZRANGE', queue_of(lane), 0, look - 1, 'WITHSCORES')
  if #fair == 0 or most == 0 then
    return 0
  end
  local near = redis.call('ZRANGEBYSCORE', key('due', lane), '-inf', near_at, 'LIMIT', 0, look)
  local at = redis.call('HMGET', key('lane', lane), 'v', 'picks')
  local v, picks = tonumber(at[1] or 0), tonumber(at[2] or 0)
  local texts, pulled = {}, {}
  local seen, i, j, count = {}, 1, 1, 0
  while count < most do
    local id, tag, list, from, step
    if j <= #near and (picks % 2 == 0 or i > #fair) then
      id, list, from, step, j = near[j], near, j, 1, j + 1
    elseif i <= #fair then
      id, tag, list, from, step, i = fair[i], tonumber(fair[i + 1]), fair, i, 2, i + 2
    else
      break
    end
    if not seen[id] then
      seen[id] = true
      if texts[id] == nil then
        read(texts, list, from, step, most - count)
      end
      local fate = offer(id, texts[id])
      if fate == 'full' then
        break
      elseif fate == 'given' then
        count, picks = count + 1, picks + 1
      end
      if fate ~= 'unfit' then
        pulled[#pulled + 1] = id
        v = tag and math.max(v, math.floor(tag / TURN)) or v
      end
    end
  end
  if #pulled > 0 then
    redis.call('ZREM', queue_of(lane), unpack(pulled))
    redis.call('ZREM', key('due', lane), unpack(pulled))
  end
  redis.call('HSET', key('lane', lane), 'v', v, 'picks', picks)
  redis.call('ZREMRANGEBYSCORE', key('flows', lane), '-inf', v)
  return count
end

local function waits(lane)
  if redis.call('ZCARD', queue_of(lane)) == 0 then
    return false
  end
  more = 1
  return true
end

-- What may have been given out in writes that are lost is not given out before that was made up for.
if not sure then
  call_tender()
end
if willing and ARGV[7] ~= '' then
  local count = serve(ARGV[7], #slots)
  if waits(ARGV[7]) and count > 0 then
    wake_lane(ARGV[7])
  end
end

-- One task of each lane in turn; the lane that was served longest ago is next.
local function serve_global()
  local rota, turns = place .. 'dispatch:rota', place .. 'dispatch:turns'
  local flat = redis.call('ZRANGE', rota, 0, -1, 'WITHSCORES')
  local lanes, v, before = {}, nil, #requests
  for i = 1, #flat, 2 do
    lanes[#lanes + 1] = {name = flat[i], at = tonumber(flat[i + 1]), served = false}
  end
  while #requests < #slots and #lanes > 0 do
    local next = 1
    for i = 2, #lanes do
      if lanes[i].at < lanes[next].at then
        next = i
      end
    end
    local lane = lanes[next]
    local count = serve(lane.name, #lanes == 1 and #slots - #requests or 1)
    if count > 0 then
      v, lane.at = math.max(v or lane.at, lane.at), lane.at + count
      redis.call('HSET', turns, lane.name, lane.at, '', v)
      redis.call('ZADD', rota, lane.at, lane.name)
    end
    local left = waits(lane.name)
    if not left then
      redis.call('ZREM', rota, lane.name)
    end
    if count == 0 or not left then
      table.remove(lanes, next)
    end
  end
  for i = 1, #lanes do
    waits(lanes[i].name)
  end
  if #requests > before and redis.call('ZCARD', rota) > 0 then
    wake('global')
  end
end

if willing and ARGV[8] == 'global' then
  serve_global()
end
if #requests > 0 then
  redis.call('MSET', unpack(values))
  redis.call('ZADD', key('leases', pod), unpack(leases))
end
local asked = #requests > 0 and redis.call('MGET', unpack(requests)) or {}
tell_world(told)
local holds = redis.call('EXISTS', key('leases', pod)) == 1
redis.call('ZADD', place .. 'dispatch:pods', now + tonumber(holds and ARGV[4] or ARGV[5]), pod)
redis.call('HSET', key('pod', pod), 'region', region, 'slots', ARGV[9], 'free', #slots - #requests)
return {more, generation, now, lease_end, given, asked}
