-- What the functions of dispatch share; stands before each of them, after clock.lua. It changes
-- nothing by itself. KEYS[1] is the place: the beginning of all keys that a function touches, so
-- that on a cluster they lie in one slot.
local place = KEYS[1]
-- Words and not numbers where Redis takes them: a number is printed for each call, exactly and slowly.
local KEEP_S = '172800'
local LONG = string.rep('-', 65)
local OUTBOX_MAX = '1000000'
-- Attempts of a task in all, for each that may fail in a row: those that ran for long and those that their pod
-- handed back do not count as failed, and still there is an end.
local ATTEMPTS_EACH = 20
-- Tasks that wait for their next try, by the time at which they may be claimed again; they are in no lane.
local DELAYED = place .. 'dispatch:delayed'
-- So many of them enter their lanes in one call.
local DELAYED_MAX = 500
local NOW = string.format('%d', now)
-- A tag is its turn, times this, and the number of its arrival within.
local TURN = 1048576

local function key(kind, name)
  return place .. 'dispatch:' .. kind .. ':' .. name
end

local function task_of(id)
  return place .. 'task:' .. id
end

-- A queue is a region's, or 'global' for tasks of no region. What waited there for too long, or is of a region
-- without pods, moves to its overflow queue, 'global:' and its name, which pods of all regions take from.
-- The sorted set of a queue holds what waits in it, by deadline in ms.
local function queue_of(queue)
  return place .. 'queue:' .. queue
end

-- Within a queue each type has a lane, in the order in which its tasks are to be taken: first what was given back
-- to the head, with scores below 0; then by turn, in an overflow queue by deadline.
local function lane_of(queue, type_of)
  return key('order', queue .. ':' .. type_of)
end

-- The types that wait in a queue, each with the score of the first task in its lane.
local function heads_of(queue)
  return key('heads', queue)
end

local function is_overflow(queue)
  return string.sub(queue, 1, 7) == 'global:'
end

local function is_global(queue)
  return queue == 'global' or is_overflow(queue)
end

-- The name under which a global queue has its turns: what waits for no region has one, overflowed or not.
local function line_of(queue)
  return queue == 'global:global' and 'global' or queue
end

-- A request is one value: its task's id and, behind a '|', its spec. It is written once; a word of Lua costs
-- by its length, so what was asked for is not among what changes.
local function request_of(request)
  return key('request', request)
end

-- A task is another value, its fields packed in this order: one word to read it, one to write it, and many
-- tasks in one word. Values one after the other and no list of them: a list would be built for nothing.
local function unpacked(text)
  local state, desired, attempt, retries, created_at, pending_at, processed_at, completed_at, err, worker,
    fence, lane, pod, channel, type_of, request, unique, window, move, tries = cmsgpack.unpack(text)
  return {state = state, desired = desired, attempt = attempt, retries = retries,
    created_at = created_at, pending_at = pending_at, processed_at = processed_at, completed_at = completed_at,
    error = err, worker = worker, fence = fence, lane = lane, pod = pod, channel = channel, type = type_of,
    request = request, unique = unique, window = window, move = move, tries = tries or 0,
    due = pending_at + window}
end

local function packed(t)
  return cmsgpack.pack(t.state, t.desired, t.attempt, t.retries, t.created_at, t.pending_at,
    t.processed_at, t.completed_at, t.error, t.worker, t.fence, t.lane, t.pod, t.channel, t.type, t.request,
    t.unique, t.window, t.move, t.tries)
end

-- A task that was taken in just now.
local function born(lane, channel, type_of, request, unique, window)
  return cmsgpack.pack('PENDING', 'run', 0, 0, now, now, '', '', '', '', '', lane, '', channel, type_of,
    request, unique, window, 1, 0)
end

-- The task, or nil when there is none.
local function load(id)
  local text = redis.call('GET', task_of(id))
  return text and unpacked(text) or nil
end

local function save(id, t)
  redis.call('SET', task_of(id), packed(t))
end

-- What is told of a task, in the order that Java reads it, and when its lease ends if somebody holds it; its
-- request is read if it is not at hand.
local function view(id, t, request)
  if not t then
    return {false}
  end
  local lease = t.pod ~= '' and redis.call('ZSCORE', key('leases', t.pod), id) or ''
  return {request or redis.call('GET', request_of(t.request)), t.state, t.desired, t.attempt, t.retries, t.created_at, t.pending_at, t.processed_at,
    t.completed_at, t.error, t.worker, t.fence, t.lane, t.pod, lease}
end

-- What a function that moves many tells at its end; nil where each move is told at once.
local told = nil

local function tell_world(words)
  if #words > 0 then
    redis.call('XADD', place .. 'dispatch:outbox', 'MAXLEN', '~', OUTBOX_MAX, '*', unpack(words))
  end
end

-- Small numbers that were printed before.
local printed = {}

local function word(number)
  local text = printed[number]
  if not text then
    text = string.format('%d', number)
    printed[number] = text
  end
  return text
end

-- The number of an attempt; behind it, where they are not 0, the tries that failed in a row and the ms until the
-- next one may begin.
local function attempt_told(t)
  local delay = t.state == 'PENDING' and math.max(0, t.pending_at - now) or 0
  if t.tries == 0 and delay == 0 then
    return word(t.attempt)
  end
  return word(t.attempt) .. ':' .. word(t.tries) .. ':' .. string.format('%d', delay)
end

-- Tells the world, in the step that made the move: the ledger and the journal read it from here. A move is
-- one field of an entry: its task and number, and what Move.java reads.
local function tell(id, t, err, at)
  local words = told or {}
  local last = #words
  words[last + 1] = id .. '|' .. word(t.move)
  words[last + 2] = t.state .. '|' .. attempt_told(t) .. '|' .. (at and word(at) or NOW) .. '|' .. t.pod .. '|' .. t.worker .. '|' ..
    t.desired .. '|' .. err
  if not told then
    tell_world(words)
  end
end

-- What a sweep answers: how many, and how many of each lane.
local function counted(count, by_lane)
  local answer = {count}
  for lane, n in pairs(by_lane) do
    answer[#answer + 1] = lane
    answer[#answer + 1] = n
  end
  return answer
end

-- Ms for which a token that no pod takes is kept: types are named by users, so their lists must end.
local TOKEN_MS = '60000'

-- One token for one of the pods that wait there for tasks of any type, and for each of these types one for those
-- that take named types only. A token that has not been taken yet is enough.
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

-- One token for one of the servers that tend while anything lives.
local function call_tender()
  local list = place .. 'dispatch:tend'
  if redis.call('LLEN', list) == 0 then
    redis.call('LPUSH', list, '1')
  end
end

-- Gives a line its turn among those of the global queues.
local function join_rota(line)
  local rota = place .. 'dispatch:rota'
  if not redis.call('ZSCORE', rota, line) then
    local known = redis.call('HMGET', place .. 'dispatch:turns', '', line)
    redis.call('ZADD', rota, math.max(tonumber(known[1] or 0), tonumber(known[2] or 0)), line)
  end
end

-- Lets those who wait hear of a queue that has tasks of these types.
local function announce(queue, types)
  redis.call('SADD', place .. 'dispatch:lanes', queue)
  if is_global(queue) then
    join_rota(line_of(queue))
  end
  wake_queue(queue, types)
  if redis.call('EXISTS', place .. 'dispatch:tended') == 0 then
    call_tender()
  end
end

-- The scores of tasks, each {id, channel, due, type}, at the turns of their channels; those of one turn stay in the
-- order of their arrival. Turns are the queue's, so the lanes of all its types can be merged by them.
local function turns_of(queue, tasks)
  local state, flows, count = key('lane', queue), key('flows', queue), #tasks
  local v = tonumber(redis.call('HGET', state, 'v') or 0)
  local arrivals = redis.call('HINCRBY', state, 'arrivals', count) - count
  local turns, channels = {}, {}
  for i = 1, count do
    local channel = tasks[i][2]
    if not turns[channel] then
      turns[channel], channels[#channels + 1] = v, channel
    end
  end
  local known = redis.call('ZMSCORE', flows, unpack(channels))
  for i = 1, #channels do
    turns[channels[i]] = math.max(v, tonumber(known[i] or v))
  end
  -- A name that is too long for a list keeps this a skip list: in a list each of a hundred channels is searched for.
  local scores, ends = {}, {'inf', LONG}
  for i = 1, count do
    local channel = tasks[i][2]
    local turn = turns[channel]
    turns[channel] = turn + 1
    scores[i] = turn * TURN + (arrivals + i) % TURN
  end
  for i = 1, #channels do
    ends[2 * i + 1], ends[2 * i + 2] = word(turns[channels[i]]), channels[i]
  end
  redis.call('ZADD', flows, unpack(ends))
  return scores
end

-- Puts tasks, each {id, channel, due, type}, into the lanes of a queue.
local function put_all(queue, tasks)
  local scores = not is_overflow(queue) and turns_of(queue, tasks)
  local lanes, firsts, types, dues, heads = {}, {}, {}, {}, {}
  for i = 1, #tasks do
    local id, due, type_of = tasks[i][1], tasks[i][3], tasks[i][4]
    local score = scores and scores[i] or due
    local lane = lanes[type_of]
    if not lane then
      lane, types[#types + 1], firsts[type_of] = {}, type_of, score
      lanes[type_of] = lane
    end
    firsts[type_of] = math.min(firsts[type_of], score)
    lane[#lane + 1], lane[#lane + 2] = string.format('%d', score), id
    dues[2 * i - 1], dues[2 * i] = string.format('%d', due), id
  end
  for i = 1, #types do
    redis.call('ZADD', lane_of(queue, types[i]), unpack(lanes[types[i]]))
    heads[2 * i - 1], heads[2 * i] = string.format('%d', firsts[types[i]]), types[i]
  end
  redis.call('ZADD', heads_of(queue), 'LT', unpack(heads))
  redis.call('ZADD', queue_of(queue), unpack(dues))
  announce(queue, types)
end

-- Puts a task into its lane: at its channel's turn, or at the head of its queue.
local function put(id, t, head)
  if not head then
    put_all(t.lane, {{id, t.channel, t.due, t.type}})
    return
  end
  local heads = heads_of(t.lane)
  local first = redis.call('ZRANGE', heads, 0, 0, 'WITHSCORES')
  local score = math.min(0, tonumber(first[2] or 0)) - 1
  redis.call('ZADD', lane_of(t.lane, t.type), score, id)
  redis.call('ZADD', heads, score, t.type)
  redis.call('ZADD', queue_of(t.lane), string.format('%d', t.due), id)
  announce(t.lane, {t.type})
end

-- A PENDING task waits: in its lane, or until it may be claimed if that is later.
local function await_claim(id, t, head)
  if t.pending_at <= now then
    put(id, t, head)
    return
  end
  redis.call('ZADD', DELAYED, string.format('%d', t.pending_at), id)
  if redis.call('EXISTS', place .. 'dispatch:tended') == 0 then
    call_tender()
  end
end

-- Tasks whose delay is over enter their lanes. Returns ms until the next one's is, or -1 if there is none.
local function end_delays()
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', DELAYED, '-inf', NOW, 'LIMIT', 0, DELAYED_MAX)) do
    redis.call('ZREM', DELAYED, id)
    local t = load(id)
    if t and t.state == 'PENDING' then
      put(id, t, false)
    end
  end
  local next = redis.call('ZRANGE', DELAYED, 0, 0, 'WITHSCORES')
  return next[2] and math.max(0, tonumber(next[2]) - now) or -1
end

-- Notes which task is the first of a lane now, after some left it; answers whether there is one.
local function renew_head(queue, type_of)
  local first = redis.call('ZRANGE', lane_of(queue, type_of), 0, 0, 'WITHSCORES')
  if first[1] then
    redis.call('ZADD', heads_of(queue), first[2], type_of)
    return true
  end
  redis.call('ZREM', heads_of(queue), type_of)
  return false
end

-- Takes a PENDING task from where it waits.
local function pull(id, t)
  redis.call('ZREM', DELAYED, id)
  redis.call('ZREM', queue_of(t.lane), id)
  if redis.call('ZREM', lane_of(t.lane, t.type), id) == 1 then
    renew_head(t.lane, t.type)
  end
end

-- Takes an id out of a queue whose task is not there any more, so that its type is not known.
local function pull_unknown(id, queue)
  redis.call('ZREM', queue_of(queue), id)
  for _, type_of in ipairs(redis.call('ZRANGE', heads_of(queue), 0, -1)) do
    if redis.call('ZREM', lane_of(queue, type_of), id) == 1 then
      renew_head(queue, type_of)
    end
  end
end

-- Takes a task from the pod that holds it.
local function unhold(id, t)
  redis.call('ZREM', key('leases', t.pod), id)
  if t.desired == 'stop' then
    redis.call('SREM', key('stops', t.pod), id)
  end
end

-- The one way into a terminal state: the time of the end, the 48 h, the channel, the word to the world.
local function finish(id, t, state, err)
  t.state, t.move, t.completed_at, t.error = state, t.move + 1, now, err
  redis.call('SET', task_of(id), packed(t), 'EX', KEEP_S)
  redis.call('EXPIRE', request_of(t.request), KEEP_S)
  if t.unique == 'channel' and redis.call('GET', key('channel', t.channel)) == id then
    redis.call('DEL', key('channel', t.channel))
  end
  tell(id, t, err)
end

-- Whether the attempt that ends was renewed for a whole lease or longer: what ended it is no fault of the task's.
local function ran_long(id, t, lease_ms)
  local lease_end = redis.call('ZSCORE', key('leases', t.pod), id)
  return lease_end and tonumber(lease_end) - lease_ms - t.processed_at >= lease_ms
end

-- A task that ran does not run any more and has not ended well: it waits again with a fresh window, unless it was
-- to stop or has had its attempts. What comes with it: why, most (attempts that may fail in a row), lease_ms,
-- failed (whether this attempt counts as one), head (of its lane), and backoff_ms and backoff_max_ms of its next try
-- with the jitter as a fraction, or no backoff_ms.
local function give_back(id, t, how)
  local long = ran_long(id, t, how.lease_ms)
  unhold(id, t)
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
    t.state, t.move, t.pod, t.worker, t.fence = 'PENDING', t.move + 1, '', '', ''
    t.pending_at, t.processed_at = now + delay, ''
    t.due, t.retries, t.error = t.pending_at + t.window, t.retries + 1, how.why
    save(id, t)
    await_claim(id, t, how.head)
    tell(id, t, how.why)
  end
end

-- Lets a pod ask what is wanted of it; a word that it has not taken yet is enough.
local function tell_pod(pod, word)
  redis.call('LPUSH', key('inbox', pod), word)
  redis.call('LTRIM', key('inbox', pod), 0, 0)
  redis.call('EXPIRE', key('inbox', pod), 60)
end

-- Somebody wants it to stop: what waits ends, what runs is told; 2 if it was told or has ended.
local function wish_stop(id, t)
  if t.state == 'PENDING' then
    pull(id, t)
    t.desired = 'stop'
    finish(id, t, 'FAILED', 'stopped')
    return 1
  elseif t.state == 'PROCESSING' and t.desired == 'run' then
    t.desired, t.move = 'stop', t.move + 1
    save(id, t)
    redis.call('SADD', key('stops', t.pod), id)
    tell_pod(t.pod, 'stop')
    tell(id, t, '')
    return 1
  end
  return 2
end

-- Whether this server is the one that was compared with the ledger, and its process is the same. Another server, or
-- one that started again, may lack its last writes. The sender of a function that asks gives the server's run id as
-- the last argument, or '' if it does not know the run id; then this cannot be told and the answer is yes.
local function is_life(known)
  return not known or ARGV[#ARGV] == '' or ARGV[#ARGV] == known
end

local function same_life()
  return is_life(redis.call('GET', place .. 'dispatch:server'))
end

-- Whether this store holds all that the ledger knows. A store without a generation is empty or was emptied: until a
-- tender compared it, it cannot say which pod holds a task.
local function is_compared()
  return redis.call('EXISTS', place .. 'dispatch:generation') == 1 and same_life()
end

-- The fence of a task that was taken from the ledger and that a pod may run: the ledger knows the attempt and not the
-- fence. The pod that reports this attempt or a later one holds the task.
local UNREPORTED = '?'

-- A task that the ledger says runs: the pod that it was given to keeps it for a whole lease, and for longer if it
-- reports it.
local function restore(id, t, pod, worker, attempt, since, lease_ms)
  t.state, t.pod, t.worker, t.attempt, t.fence = 'PROCESSING', pod, worker, attempt, UNREPORTED
  t.processed_at = now - since
  redis.call('ZADD', key('leases', pod), string.format('%d', now + lease_ms), id)
  redis.call('ZADD', place .. 'dispatch:pods', 'NX', string.format('%d', now + lease_ms), pod)
  if t.desired == 'stop' then
    redis.call('SADD', key('stops', pod), id)
  end
  save(id, t)
  tell_pod(pod, 'renew')
end

-- Whether a pod reports a task that was taken from the ledger: from here on the task is this pod's, by this fence.
local function is_reported(id, t, pod, fence)
  local attempt = t.fence == UNREPORTED and tonumber(string.match(fence, '^%d+'))
  if not attempt or attempt < t.attempt or t.state ~= 'PENDING' and t.state ~= 'PROCESSING' then
    return false
  end
  local news, lease_end = t.pod ~= pod or t.attempt ~= attempt, NOW
  if t.state == 'PENDING' then
    pull(id, t)
    t.processed_at = now
  else
    lease_end = redis.call('ZSCORE', key('leases', t.pod), id) or NOW
    unhold(id, t)
  end
  if news then
    t.state, t.pod, t.worker, t.attempt, t.move = 'PROCESSING', pod, '', attempt, t.move + 1
  end
  t.fence = fence
  redis.call('ZADD', key('leases', pod), lease_end, id)
  if t.desired == 'stop' then
    redis.call('SADD', key('stops', pod), id)
  end
  save(id, t)
  if news then
    tell(id, t, '')
  end
  return true
end

-- Whether a report about a running task comes from the pod that holds it: 1 yes, 2 the task has ended so before,
-- 0 it is another pod's by now, -1 there is no such task.
local function heard(id, t, pod, fence)
  if not t then
    return -1
  elseif t.pod == pod and t.fence == fence then
    return t.state == 'PROCESSING' and 1 or 2
  end
  return is_reported(id, t, pod, fence) and 1 or 0
end

-- The same; -2 if this store is not compared with the ledger yet, because another pod may have been given the task in
-- lost writes. The pod reports again until this is known.
local function surely_heard(id, t, pod, fence)
  if is_compared() then
    return heard(id, t, pod, fence)
  end
  call_tender()
  return -2
end
