-- PENDING -> PROCESSING: gives a pod tasks for its free slots, first those of its own region, then
-- those of the global
-- queues in rotation. Tasks past their deadline become TIMEOUT instead.
-- Of its own region a pod is given returned tasks first, then overflowed tasks by deadline, then
-- the others by the turns
-- of their channels. Overflowed tasks without a region are merged into that order, and at least
-- every fourth task is one
-- without a region while such tasks wait.
-- KEYS[1] prefix
-- ARGV[1] pod   ARGV[2] region   ARGV[3] lease ms   ARGV[4] ms for which a pod with tasks stays
-- listed
-- ARGV[5] the same for a pod without tasks   ARGV[6] the line to claim from first: its region, a
-- line of the global
-- queues, or ''
-- ARGV[7] 'global' to claim from the global queues too, else ''
-- ARGV[8] slots of the pod   ARGV[9] free capacity   ARGV[10] total capacity
-- ARGV[11] cost of an unnamed type, or -1 for a pod that takes only named types
-- ARGV[12] number of free slots, then the slots, then types with their costs; last the server's run
-- id
-- Returns {1 if more tasks wait, else 0, the suffix of the fences, time in ms, lease end, {for each
-- task slot, attempt,
-- retries, created at, pending since, queue}, {their requests}, 1 if a task was left because its
-- cost exceeds the free
-- capacity, else 0}
local pod, region, lease_end = ARGV[1], ARGV[2], now + tonumber(ARGV[3])
local free, whole, other_cost = tonumber(ARGV[9]), tonumber(ARGV[10]), tonumber(ARGV[11])
local slots, costs, named = {}, {}, {}
for i = 1, tonumber(ARGV[12]) do
  slots[i] = ARGV[12 + i]
end
-- A pod takes the types that it names, or all types, as far as their cost is within its total
-- capacity.
local takes_all, too_large = other_cost >= 0 and other_cost <= whole, 0
for i = 13 + #slots, #ARGV - 2, 2 do
  local cost = tonumber(ARGV[i + 1])
  costs[ARGV[i]] = cost
  if cost <= whole then
    named[#named + 1] = ARGV[i]
  else
    too_large = too_large + 1
  end
end
local given, more, refused = {}, 0, 0
local drained = redis.call('HGET', key('pod', pod), 'wish') == 'drain'
local known = redis.call('MGET', prefix .. 'dispatch:generation', prefix .. 'dispatch:server')
local generation, compared = known[1] or '', known[1] and is_same_server(known[2])
local may_claim = compared and not drained
if may_claim then
  release_delayed()
end
-- Written at the end for all assigned tasks.
local values, leases, requests, lease_text = {}, {}, {}, string.format('%d', lease_end)
pending_events = {}

local function assign(id, t)
  local count = #requests
  local slot = slots[count + 1]
  t.state, t.attempt, t.number, t.pod, t.worker = 'PROCESSING', t.attempt + 1, t.number + 1, pod, slot
  t.fence, t.processed_at, t.error = t.attempt .. '.' .. generation, now, ''
  local at = 2 * count
  values[at + 1], values[at + 2] = task_key(id), encode(t)
  leases[at + 1], leases[at + 2] = lease_text, id
  emit(id, t, '')
  requests[count + 1], at = request_key(t.request), 6 * count
  given[at + 1], given[at + 2], given[at + 3], given[at + 4] = slot, t.attempt, t.retries, t.created_at
  given[at + 5], given[at + 6] = t.pending_at, t.lane
end

-- Returns the lanes of a queue that this pod may claim from, those with the first tasks; each is
-- read on demand.
local function lanes_of(queue)
  local lanes, heads = {}, heads_key(queue)
  if takes_all then
    -- Each lane gives at least one task, so reading as many lanes as slots suffices until a lane
    -- begins with expired tasks.
    local most = #slots + too_large
    local types = redis.call('ZRANGE', heads, 0, most - 1)
    lanes.cut = #types == most
    for i = 1, #types do
      if (costs[types[i]] or other_cost) <= whole then
        lanes[#lanes + 1] = {type = types[i]}
      else
        refused = 1
      end
    end
  elseif #named > 0 then
    local scores = redis.call('ZMSCORE', heads, unpack(named))
    for i = 1, #named do
      if scores[i] then
        lanes[#lanes + 1] = {type = named[i]}
      end
    end
  end
  for i = 1, #lanes do
    local lane = lanes[i]
    lane.queue, lane.name, lane.pulled, lane.read, lane.at = queue, lane_key(queue, lane.type), {}, 0, 1
    lane.cost, lane.class, lane.list = costs[lane.type] or other_cost, is_overflow(queue) and 1 or 2, {}
    lane.chunk = #lanes == 1 and #slots or math.min(#slots, 8)
  end
  return lanes
end

-- A line: an overflow queue and its queue, served in one order, overflowed tasks first.
local function line(name)
  return {name = name, queues = is_overflow(name) and {name} or {'global:' .. name, name}, count = 0}
end

local function open_lanes(open)
  open.lanes, open.cut, open.stale = {}, false, false
  for i = 1, #open.queues do
    local lanes = lanes_of(open.queues[i])
    open.cut = open.cut or lanes.cut
    for j = 1, #lanes do
      open.lanes[#open.lanes + 1] = lanes[j]
    end
  end
end

-- Removes assigned and expired tasks from the lanes of a line. Returns the types that still wait in
-- them.
local function close_lanes(open)
  local left = {}
  for i = 1, #open.lanes do
    local lane = open.lanes[i]
    local some = true
    if #lane.pulled > 0 then
      redis.call('ZREM', lane.name, unpack(lane.pulled))
      redis.call('ZREM', queue_key(lane.queue), unpack(lane.pulled))
      some = update_head(lane.queue, lane.type)
    end
    if some then
      left[#left + 1] = lane.type
    end
  end
  return left
end

-- Whether a lane has an unread task; then lane.id is the first one, ordered by rank, then score.
local function has_next(lane)
  if lane.id then
    return true
  elseif lane.at > #lane.list then
    if lane.over then
      return false
    end
    local list = redis.call('ZRANGE', lane.name, lane.read, lane.read + lane.chunk - 1, 'WITHSCORES')
    lane.list, lane.at, lane.read, lane.over = list, 1, lane.read + #list / 2, #list < 2 * lane.chunk
    if #list == 0 then
      if lane.read == 0 then
        update_head(lane.queue, lane.type)
      end
      return false
    end
    local keys = {}
    for i = 1, #list, 2 do
      keys[#keys + 1] = task_key(list[i])
    end
    lane.texts = redis.call('MGET', unpack(keys))
  end
  lane.id, lane.score = lane.list[lane.at], tonumber(lane.list[lane.at + 1])
  lane.text = lane.texts[(lane.at + 1) / 2]
  lane.rank = lane.score < 0 and 0 or lane.class
  lane.at = lane.at + 2
  return true
end

local function goes_before(one, other)
  if one.rank ~= other.rank then
    return one.rank < other.rank
  end
  return one.score < other.score
end

-- Returns the lane that holds the first task of a line, or nil. Expires late tasks on the way, a
-- bounded number in each
-- call. A task that does not fit into the free capacity blocks its line for this pod, so that
-- smaller tasks do not starve
-- it.
local LATE_MAX, late = 500, 0
local function next_of(open)
  while not open.held and late < LATE_MAX do
    if not open.lanes then
      open_lanes(open)
    elseif open.stale then
      local _ = close_lanes(open)
      open_lanes(open)
    end
    local first
    for i = 1, #open.lanes do
      local lane = open.lanes[i]
      if has_next(lane) and (not first or goes_before(lane, first)) then
        first = lane
      end
    end
    if not first then
      return nil
    end
    local t = first.text and decode(first.text)
    if t and t.state == 'PENDING' and now <= t.due then
      if first.cost <= free then
        first.task = t
        return first
      end
      open.held, refused = true, 1
    else
      first.pulled[#first.pulled + 1], late = first.id, late + 1
      if t and t.state == 'PENDING' then
        finish(first.id, t, 'TIMEOUT', 'waited longer than ' .. t.window .. ' ms')
      end
      -- The lanes were cut to the first ones; another lane may come first now.
      first.id, open.stale = nil, open.cut
    end
  end
  return nil
end

local function take(open, lane)
  free = free - lane.cost
  assign(lane.id, lane.task)
  lane.pulled[#lane.pulled + 1] = lane.id
  if lane.rank == 2 then
    open.turn = math.max(open.turn or 0, math.floor(lane.score / TURN))
  end
  lane.id, open.count = nil, open.count + 1
end

-- Finishes a line. Returns the types that still wait in the lanes that were read.
local function close(open)
  if open.turn then
    local queue = open.queues[#open.queues]
    local state = key('lane', queue)
    local v = math.max(open.turn, tonumber(redis.call('HGET', state, 'v') or 0))
    redis.call('HSET', state, 'v', v)
    redis.call('ZREMRANGEBYSCORE', key('flows', queue), '-inf', v)
  end
  return open.lanes and close_lanes(open) or {}
end

local function waits(open)
  if redis.call('EXISTS', queue_key(open.queues[1]), queue_key(open.queues[#open.queues])) == 0 then
    return false
  end
  more = 1
  return true
end

-- A key space that is not compared with the database assigns nothing: another pod may run a task
-- that seems to wait.
if not compared then
  wake_maintainer()
end

-- At least one of so many claimed tasks has no region while such tasks wait.
local SHARE = 4
local rotation, turns = prefix .. 'dispatch:rota', prefix .. 'dispatch:turns'

-- Claims from the pod's own line, and from the line without a region in between.
local function serve_own(own, none)
  local state = key('lane', own.name)
  local since = none and tonumber(redis.call('HGET', state, 'own') or 0)
  local before = since
  while #requests < #slots do
    local mine, unregional = next_of(own), none and next_of(none)
    if not mine then
      break
    elseif unregional and (since >= SHARE - 1 or unregional.rank < 2 and goes_before(unregional, mine)) then
      take(none, unregional)
      since = 0
    else
      take(own, mine)
      since = unregional and since + 1 or since
    end
  end
  if since ~= before then
    redis.call('HSET', state, 'own', since)
  end
end

-- Claims one task of each line in rotation, least recently served first.
local function serve_in_turn(lines)
  local v, last = nil, {}
  while #requests < #slots and #lines > 0 do
    local next = 1
    for i = 2, #lines do
      if lines[i].at < lines[next].at then
        next = i
      end
    end
    local open = lines[next]
    open.line = open.line or line(open.name)
    local lane = next_of(open.line)
    if lane then
      take(open.line, lane)
      v = math.max(v or open.at, open.at)
      open.at = open.at + 1
      last[open.name] = open.at
    else
      table.remove(lines, next)
    end
  end
  for name, at in pairs(last) do
    redis.call('HSET', turns, name, at, '', v)
    redis.call('ZADD', rotation, at, name)
  end
end

local function serve()
  local first, others, flat = ARGV[6], {}, {}
  local own, none = first ~= '' and line(first) or nil, nil
  if ARGV[7] == 'global' then
    flat = redis.call('ZRANGE', rotation, 0, -1, 'WITHSCORES')
  end
  for i = 1, #flat, 2 do
    if flat[i] ~= 'global:' .. first then
      others[#others + 1] = {name = flat[i], at = tonumber(flat[i + 1])}
      if flat[i] == 'global' then
        none = line('global')
        others[#others].line = none
      end
    end
  end
  local all = {unpack(others)}
  if own then
    serve_own(own, none)
  end
  serve_in_turn(others)
  if own then
    local left = close(own)
    if not waits(own) then
      if flat[1] or is_global(first) then
        redis.call('ZREM', rotation, is_global(first) and first or 'global:' .. first)
      end
    elseif own.count > 0 then
      wake_queue(own.queues[#own.queues], left)
    end
  end
  local taken, types = 0, {}
  for i = 1, #all do
    local open = all[i].line
    if not open then
      more = 1
    else
      for _, type_of in ipairs(close(open)) do
        types[#types + 1] = type_of
      end
      taken = taken + open.count
      if not waits(open) then
        redis.call('ZREM', rotation, open.name)
      end
    end
  end
  if taken > 0 and redis.call('ZCARD', rotation) > 0 then
    wake('global', types)
  end
end

if may_claim then
  serve()
end
if #requests > 0 then
  redis.call('MSET', unpack(values))
  redis.call('ZADD', key('leases', pod), unpack(leases))
end
local asked = #requests > 0 and redis.call('MGET', unpack(requests)) or {}
write_outbox(pending_events)
local holds = redis.call('EXISTS', key('leases', pod)) == 1
redis.call('ZADD', prefix .. 'dispatch:pods', now + tonumber(holds and ARGV[4] or ARGV[5]), pod)
redis.call('HSET', key('pod', pod), 'region', region, 'slots', ARGV[8], 'free', #slots - #requests)
return {more, generation, now, lease_end, given, asked, refused}
