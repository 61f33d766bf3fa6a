-- Functions that all dispatch scripts share; prepended to each script, after clock.lua. Running
-- this file alone
-- changes nothing. KEYS[1] is the prefix of all keys that a script touches (the key space), so that
-- on a cluster they
-- share a hash slot.
local prefix = KEYS[1]
-- Strings instead of numbers where Redis accepts them: Redis formats a number on each call, exactly
-- and slowly.
local KEEP_S = '172800'
local LONG = string.rep('-', 65)
local OUTBOX_MAX = '1000000'
-- Total attempts of a task, for each consecutive failure that it is allowed. Attempts that ran
-- longer than a lease and
-- attempts that a pod returned do not count as failures; this bounds them.
local ATTEMPTS_EACH = 20
-- Tasks in retry backoff, scored by the time at which they may be claimed; they are in no lane.
local DELAYED = prefix .. 'dispatch:delayed'
-- The time until which nothing is claimed after a comparison with the database, so that pods first
-- report what they hold; 0
-- while that is to come.
local REPORTS = prefix .. 'dispatch:reports'
-- Most delayed tasks that one call moves to their lanes.
local DELAYED_MAX = 500
local NOW = string.format('%d', now)
-- The score of a task in a lane is turn * TURN + arrival number modulo TURN.
local TURN = 1048576
-- What runs once for each task avoids new tables, global names and repeated texts: most of the
-- time of Redis goes into
-- interpreting these scripts, not into the commands that they call.
local call, unpack_state = redis.call, cmsgpack.unpack
local TASK, REQUEST = prefix .. 'task:', prefix .. 'dispatch:request:'

local function key(kind, name)
  return prefix .. 'dispatch:' .. kind .. ':' .. name
end

local function task_key(id)
  return TASK .. id
end

-- A queue belongs to a region; 'global' holds tasks without a region. Tasks that waited too long,
-- or whose region has
-- no pods, move to the overflow queue 'global:<queue>', from which pods of all regions claim.
-- The sorted set of a queue holds its pending tasks, scored by deadline in ms.
local function queue_key(queue)
  return prefix .. 'queue:' .. queue
end

-- A queue has one lane for each task type, scored in claim order: returned tasks first (scores
-- below 0), then by turn;
-- in an overflow queue by deadline.
local function lane_key(queue, type_of)
  return key('order', queue .. ':' .. type_of)
end

-- The task types pending in a queue, each scored by the first task of its lane.
local function heads_key(queue)
  return key('heads', queue)
end

local function is_overflow(queue)
  return string.sub(queue, 1, 7) == 'global:'
end

local function is_global(queue)
  return queue == 'global' or is_overflow(queue)
end

-- The name of a global queue in the rotation: 'global' and its overflow queue share one.
local function line_name(queue)
  return queue == 'global:global' and 'global' or queue
end

-- The request key holds '<task id>|<spec>'. It is written once and kept apart from the task state,
-- because every
-- string passed through Lua costs by its length.
local function request_key(request)
  return REQUEST .. request
end

-- The task state is one value, its fields packed in this order, so that one GET reads it, one SET
-- writes it and MGET
-- reads many. The fields are packed as consecutive values; packing a list would build a table for
-- nothing. Servers and pods of the last release read and write the same bytes.
local function decode(text)
  local state, desired, attempt, retries, created_at, pending_at, processed_at, completed_at, err, worker,
    fence, lane, pod, channel, type_of, request, unique, window, number, tries = unpack_state(text)
  return {state = state, desired = desired, attempt = attempt, retries = retries,
    created_at = created_at, pending_at = pending_at, processed_at = processed_at, completed_at = completed_at,
    error = err, worker = worker, fence = fence, lane = lane, pod = pod, channel = channel, type = type_of,
    request = request, unique = unique, window = window, number = number, tries = tries or 0,
    due = pending_at + window}
end

-- Packed values by value. Most fields of the tasks of a call have the same few values, and
-- cmsgpack.pack allocates for
-- each value that it packs.
local packed = setmetatable({}, {__index = function(known, value)
  local text = cmsgpack.pack(value)
  known[value] = text
  return text
end})

-- What precedes a packed string, by its length; for strings that are rarely the same twice.
local packed_head = setmetatable({}, {__index = function(known, length)
  local text = string.sub(cmsgpack.pack(string.rep(' ', length)), 1, -1 - length)
  known[length] = text
  return text
end})

-- The same bytes as cmsgpack.pack returns for all fields.
local function pack_state(state, desired, attempt, retries, created_at, pending_at, processed_at, completed_at, err, worker,
    fence, lane, pod, channel, type_of, request, unique, window, number, tries)
  return packed[state] .. packed[desired] .. packed[attempt] .. packed[retries] .. packed[created_at] .. packed[pending_at] ..
    packed[processed_at] .. packed[completed_at] .. packed_head[#err] .. err .. packed_head[#worker] .. worker .. packed[fence] ..
    packed[lane] .. packed[pod] .. packed_head[#channel] .. channel .. packed[type_of] .. packed_head[#request] .. request .. packed[unique] ..
    packed[window] .. packed[number] .. packed[tries]
end

local function encode(t)
  return pack_state(t.state, t.desired, t.attempt, t.retries, t.created_at, t.pending_at, t.processed_at, t.completed_at,
    t.error, t.worker, t.fence, t.lane, t.pod, t.channel, t.type, t.request, t.unique, t.window, t.number, t.tries)
end

-- The fields of a new PENDING task before its lane, packed.
local packed_new = nil

-- Encodes a new PENDING task.
local function new_task(lane, channel, type_of, request, unique, window)
  packed_new = packed_new or cmsgpack.pack('PENDING', 'run', 0, 0, now, now, '', '', '', '', '')
  return packed_new .. packed[lane] .. packed[''] .. packed_head[#channel] .. channel .. packed[type_of] ..
    packed_head[#request] .. request .. packed[unique] .. packed[window] .. packed[1] .. packed[0]
end

-- Returns the task, or nil if it does not exist.
local function load(id)
  local text = redis.call('GET', task_key(id))
  return text and decode(text) or nil
end

local function save(id, t)
  redis.call('SET', task_key(id), encode(t))
end

-- Returns the fields of a task in the order that Task.java reads, with the lease end if a pod holds
-- it. Reads the request
-- unless the caller passes it.
local function task_fields(id, t, request)
  if not t then
    return {false}
  end
  local lease = t.pod ~= '' and redis.call('ZSCORE', key('leases', t.pod), id) or ''
  return {request or redis.call('GET', request_key(t.request)), t.state, t.desired, t.attempt, t.retries, t.created_at, t.pending_at, t.processed_at,
    t.completed_at, t.error, t.worker, t.fence, t.lane, t.pod, lease}
end

-- Outbox fields that a script with many transitions collects and writes at its end; nil while each
-- transition is
-- written at once.
local pending_events = nil

local function write_outbox(fields)
  if #fields > 0 then
    redis.call('XADD', prefix .. 'dispatch:outbox', 'MAXLEN', '~', OUTBOX_MAX, '*', unpack(fields))
  end
end

-- Formatted numbers by number.
local digits = setmetatable({}, {__index = function(known, number)
  local text = string.format('%d', number)
  known[number] = text
  return text
end})

-- Formats the attempt number, followed by consecutive failures and ms of backoff where they are not
-- 0.
local function attempt_field(state, attempt, tries, pending_at)
  local delay = state == 'PENDING' and math.max(0, pending_at - now) or 0
  if tries == 0 and delay == 0 then
    return digits[attempt]
  end
  return digits[attempt] .. ':' .. digits[tries] .. ':' .. string.format('%d', delay)
end

-- Emits a transition to the outbox in the script that made it; the outbox relay writes it to the
-- database and the
-- journal. The field is '<task id>|<transition number>', its value what TaskTransition.java parses.
-- claim.lua and
-- complete.lua write theirs by themselves.
local function emit(id, t, err, at)
  local fields = pending_events or {}
  local last = #fields
  fields[last + 1] = id .. '|' .. digits[t.number]
  fields[last + 2] = t.state .. '|' .. attempt_field(t.state, t.attempt, t.tries, t.pending_at) .. '|' ..
    (at and digits[at] or NOW) .. '|' .. t.pod .. '|' .. t.worker .. '|' .. t.desired .. '|' .. err
  if not pending_events then
    write_outbox(fields)
  end
end

-- Returns the reply of a sweep: the total, then each queue with its count.
local function sweep_reply(count, by_lane)
  local answer = {count}
  for lane, n in pairs(by_lane) do
    answer[#answer + 1] = lane
    answer[#answer + 1] = n
  end
  return answer
end

-- Ms after which a wake-up token for a named type expires. Users choose type names, so these lists
-- must expire.
local TOKEN_MS = '60000'

-- Adds one token for pods that take all types and, for each given type, one for pods that take only
-- named types. Adds none
-- where a token is still there.
local function wake(where, types)
  local list = key('wake', where)
  if redis.call('LLEN', list) == 0 then
    redis.call('LPUSH', list, '1')
  end
  for i = 1, #types do
    local named = list .. ':' .. types[i]
    if redis.call('LLEN', named) == 0 then
      redis.call('LPUSH', named, '1')
      redis.call('PEXPIRE', named, TOKEN_MS)
    end
  end
end

local function wake_queue(queue, types)
  wake(is_global(queue) and 'global' or queue, types)
end

-- Adds one token for the servers that maintain this key space.
local function wake_maintainer()
  local list = prefix .. 'dispatch:tend'
  if redis.call('LLEN', list) == 0 then
    redis.call('LPUSH', list, '1')
  end
end

-- Adds a queue to the rotation of the global queues.
local function add_to_rotation(line)
  local rotation = prefix .. 'dispatch:rota'
  if not redis.call('ZSCORE', rotation, line) then
    local known = redis.call('HMGET', prefix .. 'dispatch:turns', '', line)
    redis.call('ZADD', rotation, math.max(tonumber(known[1] or 0), tonumber(known[2] or 0)), line)
  end
end

-- Wakes pods for a queue that has tasks of these types, and a maintainer if none is active.
local function announce(queue, types)
  redis.call('SADD', prefix .. 'dispatch:lanes', queue)
  if is_global(queue) then
    add_to_rotation(line_name(queue))
  end
  wake_queue(queue, types)
  if redis.call('EXISTS', prefix .. 'dispatch:tended') == 0 then
    wake_maintainer()
  end
end

-- Returns the scores of tasks, each {id, channel, due, type}, by the turns of their channels;
-- within a turn tasks keep
-- their order of arrival. Turns are per queue, so that the lanes of all its types can be merged by
-- score.
local function assign_turns(queue, tasks)
  local state, flows, count = key('lane', queue), key('flows', queue), #tasks
  local v = tonumber(redis.call('HGET', state, 'v') or 0)
  local arrivals = redis.call('HINCRBY', state, 'arrivals', count) - count
  local turns, channels = {}, {}
  local met = 0
  for i = 1, count do
    local channel = tasks[i][2]
    if not turns[channel] then
      met = met + 1
      turns[channel], channels[met] = v, channel
    end
  end
  local known = redis.call('ZMSCORE', flows, unpack(channels))
  for i = 1, met do
    local turn = known[i] and known[i] + 0
    if turn and turn > v then
      turns[channels[i]] = turn
    end
  end
  -- A member longer than the listpack limit makes Redis use a skip list; a listpack would be
  -- scanned for each of a hundred
  -- channels.
  local scores, ends = {}, {'inf', LONG}
  for i = 1, count do
    local channel = tasks[i][2]
    local turn = turns[channel]
    turns[channel] = turn + 1
    scores[i] = turn * TURN + (arrivals + i) % TURN
  end
  for i = 1, met do
    local channel = channels[i]
    ends[2 * i + 1], ends[2 * i + 2] = digits[turns[channel]], channel
  end
  redis.call('ZADD', flows, unpack(ends))
  return scores
end

-- Adds tasks, each {id, channel, due, type}, to the lanes of a queue.
local function push_all(queue, tasks)
  local scores = not is_overflow(queue) and assign_turns(queue, tasks)
  local lanes, firsts, types, dues, heads, format = {}, {}, {}, {}, {}, string.format
  for i = 1, #tasks do
    local task = tasks[i]
    local id, due, type_of = task[1], task[3], task[4]
    local score = scores and scores[i] or due
    local lane = lanes[type_of]
    if not lane then
      lane, types[#types + 1], firsts[type_of] = {}, type_of, score
      lanes[type_of] = lane
    elseif score < firsts[type_of] then
      firsts[type_of] = score
    end
    local last = #lane
    lane[last + 1], lane[last + 2] = format('%d', score), id
    dues[2 * i - 1], dues[2 * i] = digits[due], id
  end
  for i = 1, #types do
    redis.call('ZADD', lane_key(queue, types[i]), unpack(lanes[types[i]]))
    heads[2 * i - 1], heads[2 * i] = string.format('%d', firsts[types[i]]), types[i]
  end
  redis.call('ZADD', heads_key(queue), 'LT', unpack(heads))
  redis.call('ZADD', queue_key(queue), unpack(dues))
  announce(queue, types)
end

-- Adds a task to its lane: at its channel's turn, or at the head of its queue.
local function push(id, t, head)
  if not head then
    push_all(t.lane, {{id, t.channel, t.due, t.type}})
    return
  end
  local heads = heads_key(t.lane)
  local first = redis.call('ZRANGE', heads, 0, 0, 'WITHSCORES')
  local score = math.min(0, tonumber(first[2] or 0)) - 1
  redis.call('ZADD', lane_key(t.lane, t.type), score, id)
  redis.call('ZADD', heads, score, t.type)
  redis.call('ZADD', queue_key(t.lane), string.format('%d', t.due), id)
  announce(t.lane, {t.type})
end

-- Makes a PENDING task claimable: in its lane now, or after its backoff.
local function await_claim(id, t, head)
  if t.pending_at <= now then
    push(id, t, head)
    return
  end
  redis.call('ZADD', DELAYED, string.format('%d', t.pending_at), id)
  if redis.call('EXISTS', prefix .. 'dispatch:tended') == 0 then
    wake_maintainer()
  end
end

-- Moves tasks whose backoff has ended to their lanes. Returns ms until the next backoff ends, or -1
-- if no task is delayed.
local function release_delayed()
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', DELAYED, '-inf', NOW, 'LIMIT', 0, DELAYED_MAX)) do
    redis.call('ZREM', DELAYED, id)
    local t = load(id)
    if t and t.state == 'PENDING' then
      push(id, t, false)
    end
  end
  local next = redis.call('ZRANGE', DELAYED, 0, 0, 'WITHSCORES')
  return next[2] and math.max(0, tonumber(next[2]) - now) or -1
end

-- Updates the head of a lane after tasks left it. Returns whether the lane has a task.
local function update_head(queue, type_of)
  local first = redis.call('ZRANGE', lane_key(queue, type_of), 0, 0, 'WITHSCORES')
  if first[1] then
    redis.call('ZADD', heads_key(queue), first[2], type_of)
    return true
  end
  redis.call('ZREM', heads_key(queue), type_of)
  return false
end

-- Removes a PENDING task from its queue and lane, or from the delayed set.
local function unqueue(id, t)
  redis.call('ZREM', DELAYED, id)
  redis.call('ZREM', queue_key(t.lane), id)
  if redis.call('ZREM', lane_key(t.lane, t.type), id) == 1 then
    update_head(t.lane, t.type)
  end
end

-- Removes from a queue the id of a task that no longer exists; its type is unknown, so all lanes
-- are searched.
local function unqueue_unknown(id, queue)
  redis.call('ZREM', queue_key(queue), id)
  for _, type_of in ipairs(redis.call('ZRANGE', heads_key(queue), 0, -1)) do
    if redis.call('ZREM', lane_key(queue, type_of), id) == 1 then
      update_head(queue, type_of)
    end
  end
end

-- Removes the lease of the pod that holds a task.
local function drop_lease(id, t)
  redis.call('ZREM', key('leases', t.pod), id)
  if t.desired == 'stop' then
    redis.call('SREM', key('stops', t.pod), id)
  end
end

-- Writes an ended task with 48 h of retention and releases its channel.
local function keep_ended(id, name, text, request, unique, channel)
  call('SET', name, text, 'EX', KEEP_S)
  call('EXPIRE', REQUEST .. request, KEEP_S)
  if unique == 'channel' and call('GET', key('channel', channel)) == id then
    call('DEL', key('channel', channel))
  end
end

-- Retries of a task that ended, as the database counts them: one that ended as it waited has no pod,
-- and all its attempts count.
local function retries_of(t)
  return t.pod == '' and t.attempt or math.max(0, t.attempt - 1)
end

-- Ends a task: sets its end time and 48 h of retention, releases its channel and emits the
-- transition.
local function finish(id, t, state, err)
  t.state, t.number, t.completed_at, t.error, t.retries = state, t.number + 1, now, err, retries_of(t)
  keep_ended(id, task_key(id), encode(t), t.request, t.unique, t.channel)
  emit(id, t, err)
end

-- Whether the ending attempt was renewed for a whole lease or longer; then its end does not count
-- as a failure of the
-- task.
local function ran_long(id, t, lease_ms)
  local lease_end = redis.call('ZSCORE', key('leases', t.pod), id)
  return lease_end and tonumber(lease_end) - lease_ms - t.processed_at >= lease_ms
end

-- Returns a task to its queue with a fresh deadline after an attempt that did not succeed, or ends
-- it if it was to stop
-- or has no attempts left. Fields of how: why, most (consecutive failures allowed), lease_ms,
-- failed (whether this
-- attempt is a failure), head (whether it goes to the head of its lane), and backoff_ms,
-- backoff_max_ms and jitter (a
-- fraction) for a retry with backoff.
local function return_task(id, t, how)
  local long = ran_long(id, t, how.lease_ms)
  drop_lease(id, t)
  t.tries = long and 0 or t.tries + (how.failed and 1 or 0)
  if t.desired == 'stop' then
    finish(id, t, 'SUCCESS', '')
  elseif t.tries >= how.most or t.attempt > ATTEMPTS_EACH * (how.most - 1) then
    finish(id, t, 'FAILED', 'gave up after ' .. t.attempt .. ' attempts: ' .. how.why)
  else
    local delay = 0
    if how.backoff_ms then
      delay = math.min(how.backoff_max_ms, how.backoff_ms * 2 ^ math.max(0, t.tries - 1))
      delay = math.floor(delay * (1 + how.jitter))
    end
    t.state, t.number, t.pod, t.worker, t.fence = 'PENDING', t.number + 1, '', '', ''
    t.pending_at, t.processed_at = now + delay, ''
    t.due, t.retries, t.error = t.pending_at + t.window, t.attempt, how.why
    save(id, t)
    await_claim(id, t, how.head)
    emit(id, t, how.why)
  end
end

-- Pushes a message to a pod's inbox, which makes the pod renew; the inbox holds one message.
local function notify_pod(pod, message)
  redis.call('LPUSH', key('inbox', pod), message)
  redis.call('LTRIM', key('inbox', pod), 0, 0)
  redis.call('EXPIRE', key('inbox', pod), 60)
end

-- Stops a task: ends it if it is PENDING; tells its pod if it is running. Returns 1, or 2 if it was
-- stopping or had ended.
local function request_stop(id, t)
  if t.state == 'PENDING' then
    unqueue(id, t)
    t.desired = 'stop'
    finish(id, t, 'FAILED', 'stopped')
    return 1
  elseif t.state == 'PROCESSING' and t.desired == 'run' then
    t.desired, t.number = 'stop', t.number + 1
    save(id, t)
    redis.call('SADD', key('stops', t.pod), id)
    notify_pod(t.pod, 'stop')
    emit(id, t, '')
    return 1
  end
  return 2
end

-- Whether this Redis process is the one that was last compared with the database. Another server,
-- or the same one after
-- a restart, may lack its last writes. The client appends the server's run id as the last argument
-- of the scripts that
-- check this, or '' if it does not know the run id; then the check passes.
local function is_same_server(known)
  return not known or ARGV[#ARGV] == '' or ARGV[#ARGV] == known
end

local function on_same_server()
  return is_same_server(redis.call('GET', prefix .. 'dispatch:server'))
end

-- Whether this key space holds all that the database knows. A key space without a generation is
-- empty; until a maintainer
-- has restored it, Redis cannot say which pod holds a task.
local function is_compared()
  return redis.call('EXISTS', prefix .. 'dispatch:generation') == 1 and on_same_server()
end

-- The fence of a task restored from the database, which knows the attempt but not the fence: the
-- pod that reports this
-- attempt or a later one holds the task.
local UNREPORTED = '?'

-- Restores a running task: its pod keeps it for one lease, and longer if it renews.
local function restore_running(id, t, pod, worker, attempt, since, lease_ms)
  t.state, t.pod, t.worker, t.attempt, t.retries, t.fence = 'PROCESSING', pod, worker, attempt, attempt - 1, UNREPORTED
  t.processed_at = now - since
  redis.call('ZADD', key('leases', pod), string.format('%d', now + lease_ms), id)
  redis.call('ZADD', prefix .. 'dispatch:pods', 'NX', string.format('%d', now + lease_ms), pod)
  if t.desired == 'stop' then
    redis.call('SADD', key('stops', pod), id)
  end
  save(id, t)
  notify_pod(pod, 'renew')
end

-- Accepts a report about a restored task: from here on the task belongs to this pod, with this
-- fence. Returns whether the
-- report was accepted.
local function accept_report(id, t, pod, fence)
  local attempt = t.fence == UNREPORTED and tonumber(string.match(fence, '^%d+'))
  if not attempt or attempt < t.attempt or t.state ~= 'PENDING' and t.state ~= 'PROCESSING' then
    return false
  end
  local changed, lease_end = t.pod ~= pod or t.attempt ~= attempt, NOW
  if t.state == 'PENDING' then
    unqueue(id, t)
    t.processed_at = now
  else
    lease_end = redis.call('ZSCORE', key('leases', t.pod), id) or NOW
    drop_lease(id, t)
  end
  if changed then
    t.state, t.pod, t.worker, t.number = 'PROCESSING', pod, '', t.number + 1
    t.attempt, t.retries = attempt, attempt - 1
  end
  t.fence = fence
  redis.call('ZADD', key('leases', pod), lease_end, id)
  if t.desired == 'stop' then
    redis.call('SADD', key('stops', pod), id)
  end
  save(id, t)
  if changed then
    emit(id, t, '')
  end
  return true
end

-- Checks that a report comes from the pod that holds the task. Returns 1 yes, 2 the attempt has
-- already ended, 0 another
-- attempt holds it, -1 there is no such task.
local function check_holder(id, t, pod, fence)
  if not t then
    return -1
  elseif t.pod == pod and t.fence == fence then
    return t.state == 'PROCESSING' and 1 or 2
  end
  return accept_report(id, t, pod, fence) and 1 or 0
end

-- The same; returns -2 if this key space is not compared with the database: lost writes may have
-- given the task to another
-- pod. The pod retries its report.
local function check_holder_if_compared(id, t, pod, fence)
  if is_compared() then
    return check_holder(id, t, pod, fence)
  end
  wake_maintainer()
  return -2
end
