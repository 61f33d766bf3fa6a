-- What the functions of dispatch share; stands before each of them, after clock.lua. It changes
-- nothing by itself. KEYS[1] is the place: the beginning of all keys that a function touches, so
-- that on a cluster they lie in one slot.
local place = KEYS[1]
local KEEP_S = 172800
local OUTBOX_MAX = 1000000

local function key(kind, name)
  return place .. 'dispatch:' .. kind .. ':' .. name
end

local function task_of(id)
  return place .. 'task:' .. id
end

local function queue_of(lane)
  return place .. 'queue:' .. lane
end

local function is_global(lane)
  return lane == 'global' or string.sub(lane, 1, 7) == 'global:'
end

-- What is told of a task, in the order that Java reads it.
local FIELDS = {'spec', 'state', 'desired', 'attempt', 'retry_count', 'created_at', 'pending_at',
  'processed_at', 'completed_at', 'error', 'worker_id', 'fence', 'lane', 'pod_id'}

-- The fields, and when its lease ends if somebody holds it.
local function view(id)
  local fields = redis.call('HMGET', task_of(id), unpack(FIELDS))
  local pod = fields[#FIELDS]
  fields[#FIELDS + 1] = pod and pod ~= '' and redis.call('ZSCORE', key('leases', pod), id) or ''
  return fields
end

-- The mutable part of a task, or nil when there is no such task.
local function load(id)
  local f = redis.call('HMGET', task_of(id), 'state', 'desired', 'attempt', 'fence', 'pod_id', 'worker_id',
    'lane', 'channel', 'move', 'retry_count', 'due', 'type', 'request', 'unique', 'window')
  if not f[1] then
    return nil
  end
  return {state = f[1], desired = f[2], attempt = tonumber(f[3]), fence = f[4], pod = f[5], worker = f[6],
    lane = f[7], channel = f[8], move = tonumber(f[9]), retries = tonumber(f[10]), due = tonumber(f[11]),
    type = f[12], request = f[13], unique = f[14], window = tonumber(f[15])}
end

-- Tells the world, in the step that made the move: the ledger and the journal read it from here.
local function tell(id, t, err, at)
  redis.call('XADD', place .. 'dispatch:outbox', 'MAXLEN', '~', OUTBOX_MAX, '*', 'id', id, 'move', t.move,
    'state', t.state, 'attempt', t.attempt, 'at', at or now, 'error', err, 'pod', t.pod, 'worker', t.worker,
    'desired', t.desired)
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

-- One token for one of those who wait there; a token that nobody has taken yet is enough.
local function wake(where)
  local list = key('wake', where)
  if redis.call('LLEN', list) == 0 then
    redis.call('LPUSH', list, '1')
  end
end

local function wake_lane(lane)
  wake(is_global(lane) and 'global' or lane)
end

-- One token for one of the servers that tend while anything lives.
local function call_tender()
  local list = place .. 'dispatch:tend'
  if redis.call('LLEN', list) == 0 then
    redis.call('LPUSH', list, '1')
  end
end

-- Gives a lane its turn among the lanes of the global queue.
local function join_rota(lane)
  local rota = place .. 'dispatch:rota'
  if not redis.call('ZSCORE', rota, lane) then
    local known = redis.call('HMGET', place .. 'dispatch:turns', '', lane)
    redis.call('ZADD', rota, math.max(tonumber(known[1] or 0), tonumber(known[2] or 0)), lane)
  end
end

-- Puts a task into a lane: at its channel's turn, or at the head. Tags are whole turns; the fraction
-- keeps those of one turn in the order of their arrival.
local function put(id, lane, channel, due, head)
  local queue, state = queue_of(lane), key('lane', lane)
  local v = tonumber(redis.call('HGET', state, 'v') or 0)
  local tag
  if head then
    local first = redis.call('ZRANGE', queue, 0, 0, 'WITHSCORES')
    tag = math.floor(math.min(v, tonumber(first[2] or v))) - 1
  else
    local flows = key('flows', lane)
    local turn = math.max(v, tonumber(redis.call('ZSCORE', flows, channel) or v))
    redis.call('ZADD', flows, turn + 1, channel)
    tag = string.format('%.17g', turn + redis.call('HINCRBY', state, 'arrivals', 1) % 1048576 / 1048576)
  end
  redis.call('ZADD', queue, tag, id)
  redis.call('ZADD', key('due', lane), due, id)
  redis.call('SADD', place .. 'dispatch:lanes', lane)
  if is_global(lane) then
    join_rota(lane)
  end
  wake_lane(lane)
  if redis.call('EXISTS', place .. 'dispatch:tended') == 0 then
    call_tender()
  end
end

-- Takes a task out of its lane.
local function pull(id, lane)
  redis.call('ZREM', queue_of(lane), id)
  redis.call('ZREM', key('due', lane), id)
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
  t.state, t.move = state, t.move + 1
  redis.call('HSET', task_of(id), 'state', state, 'completed_at', now, 'error', err, 'move', t.move)
  redis.call('EXPIRE', task_of(id), KEEP_S)
  redis.call('EXPIRE', key('request', t.request), KEEP_S)
  if t.unique == 'channel' and redis.call('GET', key('channel', t.channel)) == id then
    redis.call('DEL', key('channel', t.channel))
  end
  tell(id, t, err)
end

-- A task that ran does not run any more and has not ended well: it waits again with a fresh window,
-- unless it was to stop or has had its attempts.
local function give_back(id, t, err, head, max_attempts)
  unhold(id, t)
  if t.desired == 'stop' then
    finish(id, t, 'SUCCESS', '')
  elseif t.attempt >= max_attempts then
    finish(id, t, 'FAILED', 'gave up after ' .. t.attempt .. ' attempts: ' .. err)
  else
    t.state, t.move, t.pod, t.worker = 'PENDING', t.move + 1, '', ''
    redis.call('HSET', task_of(id), 'state', 'PENDING', 'pending_at', now, 'processed_at', '', 'pod_id', '',
      'worker_id', '', 'fence', '', 'retry_count', t.retries + 1, 'due', now + t.window, 'move', t.move,
      'error', err)
    put(id, t.lane, t.channel, now + t.window, head)
    tell(id, t, err)
  end
end

-- Somebody wants it to stop: what waits ends, what runs is told; 2 if it was told or has ended.
local function wish_stop(id, t)
  if t.state == 'PENDING' then
    pull(id, t.lane)
    t.desired = 'stop'
    redis.call('HSET', task_of(id), 'desired', 'stop')
    finish(id, t, 'FAILED', 'stopped')
    return 1
  elseif t.state == 'PROCESSING' and t.desired == 'run' then
    t.desired, t.move = 'stop', t.move + 1
    redis.call('HSET', task_of(id), 'desired', 'stop', 'move', t.move)
    redis.call('SADD', key('stops', t.pod), id)
    redis.call('LPUSH', key('inbox', t.pod), 'stop')
    redis.call('LTRIM', key('inbox', t.pod), 0, 0)
    redis.call('EXPIRE', key('inbox', t.pod), 60)
    tell(id, t, '')
    return 1
  end
  return 2
end

-- Whether a word about a running task comes from who runs it: 1 yes, 2 it has ended so before,
-- 0 it is another's by now, -1 there is no such task.
local function heard(t, pod, fence)
  if not t then
    return -1
  elseif t.pod ~= pod or t.fence ~= fence then
    return 0
  elseif t.state == 'PROCESSING' then
    return 1
  end
  return 2
end
