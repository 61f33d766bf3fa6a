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
-- ARGV[11] cost of an unnamed type, below 0 for a pod that takes only named types
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
local known = redis.call('MGET', prefix .. 'dispatch:generation', prefix .. 'dispatch:server', REPORTS)
local generation, compared = known[1] or '', known[1] and is_same_server(known[2])
local may_claim = compared and not drained and now >= tonumber(known[3] or 0)
if may_claim then
  release_delayed()
end
-- From so many free slots on, a pod's leases become a skip list, which they stay until the pod holds
-- none; a listpack would
-- be scanned for each lease.
local MANY = 16
-- Written at the end for all assigned tasks.
local values, leases, requests, lease_text = {}, {}, {}, string.format('%d', lease_end)
pending_events = {}

local fences, events, middle = {}, pending_events, '|' .. NOW .. '|' .. pod .. '|'

-- Assigns a task if it may be claimed. Returns whether it did; if not, whether the task is PENDING.
local function assign(id, name, text)
  local state, desired, attempt, retries, created_at, pending_at, _, completed_at, _, _, _, lane, _, channel, type_of, request,
    unique, window, number, tries = unpack_state(text)
  if state ~= 'PENDING' or now > pending_at + window then
    return false, state == 'PENDING'
  end
  local count = #requests
  local slot = slots[count + 1]
  attempt, retries, number, tries = attempt + 1, attempt, number + 1, tries or 0
  local fence = fences[attempt]
  if not fence then
    fence = attempt .. '.' .. generation
    fences[attempt] = fence
  end
  local at = 2 * count
  values[at + 1], values[at + 2] = name, pack_state('PROCESSING', desired, attempt, retries, created_at, pending_at, now,
    completed_at, '', slot, fence, lane, pod, channel, type_of, request, unique, window, number, tries)
  leases[at + 1], leases[at + 2] = lease_text, id
  local last = #events
  events[last + 1] = id .. '|' .. digits[number]
  events[last + 2] = 'PROCESSING|' .. (tries == 0 and digits[attempt] or attempt_field('PROCESSING', attempt, tries, pending_at)) ..
    middle .. slot .. '|' .. desired .. '|'
  requests[count + 1], at = REQUEST .. request, 6 * count
  given[at + 1], given[at + 2], given[at + 3], given[at + 4] = slot, attempt, retries, created_at
  given[at + 5], given[at + 6] = pending_at, lane
  return true
end

-- Whether a task with this state may be claimed, and whether it is PENDING.
local function is_claimable(text)
  local state, _, _, _, _, pending_at, _, _, _, _, _, _, _, _, _, _, _, window = unpack_state(text)
  local pending = state == 'PENDING'
  return pending and now <= pending_at + window, pending
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
    if lane.last then
      local score = tonumber(redis.call('ZSCORE', lane.name, lane.last))
      if score >= 0 then
        open.turn = math.max(open.turn or 0, math.floor(score / TURN))
      end
    end
    if #lane.pulled > 0 then
      -- The pulled tasks are the first ones of the lane.
      redis.call('ZREMRANGEBYRANK', lane.name, 0, #lane.pulled - 1)
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
    lane.names, lane.texts = keys, redis.call('MGET', unpack(keys))
  end
  lane.id, lane.score = lane.list[lane.at], tonumber(lane.list[lane.at + 1])
  lane.text, lane.key = lane.texts[(lane.at + 1) / 2], lane.names[(lane.at + 1) / 2]
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

-- Most late tasks that one call leaves out.
local LATE_MAX, late = 500, 0

-- Leaves out a task that cannot be claimed: it expired, ended or does not exist any more.
local function leave_out(lane, id, text, pending)
  lane.pulled[#lane.pulled + 1], late = id, late + 1
  if pending then
    local t = decode(text)
    finish(id, t, 'TIMEOUT', 'waited longer than ' .. t.window .. ' ms')
  end
end

-- Returns the lane that holds the first task of a line, or nil. Expires late tasks on the way, a
-- bounded number in each
-- call. A task that does not fit into the free capacity blocks its line for this pod, so that
-- smaller tasks do not starve
-- it.
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
    local claimable, pending = nil, nil
    if first.text then
      claimable, pending = is_claimable(first.text)
    end
    if claimable then
      if first.cost <= free then
        return first
      end
      open.held, refused = true, 1
    else
      leave_out(first, first.id, first.text, pending)
      -- The lanes were cut to the first ones; another lane may come first now.
      first.id, open.stale = nil, open.cut
    end
  end
  return nil
end

local function take(open, lane)
  free = free - lane.cost
  local _ = assign(lane.id, lane.key, lane.text)
  lane.pulled[#lane.pulled + 1] = lane.id
  if lane.rank == 2 then
    open.turn = math.max(open.turn or 0, math.floor(lane.score / TURN))
  end
  lane.id, open.count = nil, open.count + 1
end

-- Claims from the only lane of a line. Nothing is compared there, so scores are not read; what does
-- not fit is left to
-- next_of.
local function take_all(open, lane)
  local pulled, cost, regular, last = lane.pulled, lane.cost, lane.class == 2, #lane.pulled
  while #requests < #slots and cost <= free and late < LATE_MAX and not lane.over do
    local most = #slots - #requests
    local ids, names = redis.call('ZRANGE', lane.name, lane.read, lane.read + most - 1), {}
    if #ids == 0 then
      return
    end
    for i = 1, #ids do
      names[i] = TASK .. ids[i]
    end
    local texts = redis.call('MGET', unpack(names))
    for i = 1, #ids do
      if cost > free or late == LATE_MAX then
        return
      end
      local id, text, assigned, pending = ids[i], texts[i], nil, nil
      if text then
        assigned, pending = assign(id, names[i], text)
      end
      if assigned then
        free, last = free - cost, last + 1
        open.count, pulled[last] = open.count + 1, id
        if regular then
          lane.last = id
        end
      else
        leave_out(lane, id, text, pending)
        last = last + 1
      end
      lane.read = lane.read + 1
    end
    lane.over = #ids < most
  end
end

-- Finishes a line. Returns the types that still wait in the lanes that were read.
local function close(open)
  local left = open.lanes and close_lanes(open) or {}
  if open.turn then
    local queue = open.queues[#open.queues]
    local state = key('lane', queue)
    local v = math.max(open.turn, tonumber(redis.call('HGET', state, 'v') or 0))
    redis.call('HSET', state, 'v', v)
    redis.call('ZREMRANGEBYSCORE', key('flows', queue), '-inf', v)
  end
  return left
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
  if not none then
    open_lanes(own)
    if #own.lanes == 1 and not own.cut then
      take_all(own, own.lanes[1])
    end
  end
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
  local held = key('leases', pod)
  if #slots >= MANY then
    leases[#leases + 1], leases[#leases + 2] = 'inf', LONG
    redis.call('ZADD', held, unpack(leases))
    redis.call('ZREM', held, LONG)
  else
    redis.call('ZADD', held, unpack(leases))
  end
end
local asked = #requests > 0 and redis.call('MGET', unpack(requests)) or {}
write_outbox(pending_events)
local holds = redis.call('EXISTS', key('leases', pod)) == 1
redis.call('ZADD', prefix .. 'dispatch:pods', now + tonumber(holds and ARGV[4] or ARGV[5]), pod)
redis.call('HSET', key('pod', pod), 'region', region, 'slots', ARGV[8], 'free', #slots - #requests)
return {more, generation, now, lease_end, given, asked, refused}
