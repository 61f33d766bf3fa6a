-- Missing -> PENDING or PROCESSING: adds tasks that are open in the database and missing in Redis.
-- A task that Redis has
-- does not change; its state is emitted again if Redis has the later transition. A stop request
-- that Redis missed is
-- applied. In a Redis that may have lost its last writes, attempts and transitions that it may lack
-- are accounted for.
-- A task that runs according to the database keeps its attempt and pod for one lease.
-- KEYS[1] prefix
-- ARGV[1] the generation when the database was read, or the token of the rebuild that read it
-- ARGV[2] number of tasks   ARGV[3] lease ms
-- then for each task: id, request id, region or '', channel, type, id|spec, attempts that may have
-- been assigned, attempts that the database knows, last transition number, ms since its creation, ms since it is
-- pending (negative while in backoff), timeout in ms, consecutive failures, pod that runs it or '',
-- slot of that pod, ms
-- since its attempt began, 1 if Redis ever reported it to the database, 'run' or 'stop'; last the
-- server's run id
-- Returns how many were added, or -1 if the key space has another generation or none: what the
-- database said may be outdated, as transitions that Redis has lost since may be on their way there
if ARGV[1] ~= redis.call('GET', prefix .. 'dispatch:generation') and
    ARGV[1] ~= redis.call('GET', prefix .. 'dispatch:rebuild') then
  return {-1}
end
local LOST_MAX, EACH = 1000, 18
local count, lease_ms, lost = 0, tonumber(ARGV[3]), not on_same_server()

-- Reads the arguments of one task.
local function entry(a)
  return {id = ARGV[a], request = ARGV[a + 1], region = ARGV[a + 2], channel = ARGV[a + 3], type = ARGV[a + 4], spec = ARGV[a + 5],
    given = tonumber(ARGV[a + 6]), attempt = tonumber(ARGV[a + 7]), number = tonumber(ARGV[a + 8]), age = tonumber(ARGV[a + 9]),
    waiting = tonumber(ARGV[a + 10]), window = tonumber(ARGV[a + 11]), tries = tonumber(ARGV[a + 12]), pod = ARGV[a + 13],
    worker = ARGV[a + 14], running = tonumber(ARGV[a + 15]), reported = ARGV[a + 16] == '1', stop = ARGV[a + 17] == 'stop',
    runs = ARGV[a + 13] ~= ''}
end

-- A pending task may have been assigned in lost writes: the next attempt gets a number that no pod
-- had, and a pod that
-- reports the lost attempt keeps the task.
local unreported = false
local function await_report(t, attempt)
  t.attempt, t.fence, unreported = attempt, UNREPORTED, true
end

-- Corrects an open task in a Redis that lacks its last writes: transitions are numbered behind
-- those that the database
-- knows, and a later state in the database wins.
local function reconcile_open(t, known)
  local id = known.id
  if t.number >= known.number + LOST_MAX then
    return
  end
  local newer, waits = known.number > t.number, t.state == 'PENDING'
  local next_attempt = math.max(t.attempt, known.attempt) + 1
  local same = not waits and known.runs and t.pod == known.pod and t.attempt == known.attempt
  t.number = math.max(t.number, known.number) + LOST_MAX
  if newer and not same and (known.runs or not waits) then
    if waits then
      unqueue(id, t)
    else
      drop_lease(id, t)
      notify_pod(t.pod, 'renew')
    end
    t.tries = known.tries
    if known.runs then
      restore_running(id, t, known.pod, known.worker, known.attempt, known.running, lease_ms)
    else
      t.state, t.pod, t.worker, t.processed_at = 'PENDING', '', '', ''
      t.pending_at = math.max(now, now - known.waiting)
      t.due = t.pending_at + t.window
      await_report(t, next_attempt)
      save(id, t)
      await_claim(id, t, true)
    end
  else
    if waits then
      await_report(t, next_attempt)
    end
    save(id, t)
  end
end

-- Corrects a task that ended here while later transitions were lost: the database would ignore this
-- end as outdated.
local function reconcile_ended(t, known)
  if t.number <= known.number then
    t.number, t.attempt = known.number + LOST_MAX, math.max(t.attempt, known.attempt)
    t.retries = retries_of(t)
    redis.call('SET', task_key(known.id), encode(t), 'EX', KEEP_S)
  end
end

local function restore_task(known)
  local id = known.id
  local t = decode(new_task(known.region == '' and 'global' or known.region, known.channel, known.type, known.request, '', known.window))
  local stopped = redis.call('DEL', key('stopped', id)) == 1
  t.number, t.retries, t.created_at, t.tries = known.number + LOST_MAX, known.attempt, now - known.age, known.tries
  t.pending_at = now - known.waiting
  t.due = t.pending_at + t.window
  t.desired = (known.stop or stopped) and 'stop' or 'run'
  redis.call('SET', request_key(known.request), known.spec)
  if known.runs then
    restore_running(id, t, known.pod, known.worker, known.attempt, known.running, lease_ms)
    if stopped and not known.stop then
      emit(id, t, '')
    end
    return
  end
  -- Lost writes may have assigned it without reporting to the database.
  t.attempt = lost and math.max(known.given, known.attempt + 1) or known.given
  if t.desired == 'stop' then
    finish(id, t, 'FAILED', 'stopped')
    return
  end
  if t.attempt > known.attempt then
    await_report(t, t.attempt)
  end
  save(id, t)
  await_claim(id, t, false)
  if not known.reported then
    emit(id, t, '')
  end
end

for i = 1, tonumber(ARGV[2]) do
  local known = entry(4 + (i - 1) * EACH)
  local t = load(known.id)
  if t then
    if lost and (t.state == 'PENDING' or t.state == 'PROCESSING') then
      reconcile_open(t, known)
    elseif lost then
      reconcile_ended(t, known)
    end
    if known.stop then
      request_stop(known.id, t)
    end
    if t.number > known.number then
      emit(known.id, t, t.error, t.completed_at ~= '' and t.completed_at or now)
    end
  else
    restore_task(known)
    count = count + 1
  end
end
if unreported then
  redis.call('SET', REPORTS, '0', 'PX', 60000)
end
return {count}
