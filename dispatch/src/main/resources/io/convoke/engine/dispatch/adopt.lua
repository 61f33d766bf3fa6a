-- Forgotten -> PENDING or PROCESSING: takes in tasks that the ledger knows to be open and this store does not know.
-- What the store knows is left as it is, and told once more if it is more than the ledger knows: by
-- the outbox, behind what that still has to tell. Only a wish to stop that it missed is made up for; and
-- in a store that may have lost its last writes, what it may not know of attempts and moves.
-- A task that runs by the ledger keeps its attempt and its pod for one lease; another attempt follows only then.
-- KEYS[1] place
-- ARGV[1] what stood here when the ledger was read: the generation, or '', or the token of the rebuild that
-- read it   ARGV[2] number of tasks   ARGV[3] lease ms   then for each: id, request id, region or '', channel, type, id|spec,
-- attempts that may have been given out, attempts that the ledger knows, last move, ms since its creation, ms since it waits,
-- less than 0 if its next try is to come then, ms that it may wait, tries that failed in a row, pod that runs it or '', slot of
-- that pod, ms since its attempt began, 1 if the ledger ever heard of it from a store, and what is wanted of it: 'run' or
-- 'stop'; last the server's run id
-- Returns how many were taken in, or -1 if what stood here does not any more: what was read from the ledger before may have
-- ended meanwhile
if ARGV[1] ~= (redis.call('GET', place .. 'dispatch:generation') or '') and
    ARGV[1] ~= redis.call('GET', place .. 'dispatch:rebuild') then
  return {-1}
end
local MOVES_UNHEARD, EACH = 1000, 18
local count, lease_ms, lost = 0, tonumber(ARGV[3]), not same_life()

-- What the ledger knows of a task.
local function entry(a)
  return {id = ARGV[a], request = ARGV[a + 1], region = ARGV[a + 2], channel = ARGV[a + 3], type = ARGV[a + 4], spec = ARGV[a + 5],
    given = tonumber(ARGV[a + 6]), attempt = tonumber(ARGV[a + 7]), move = tonumber(ARGV[a + 8]), age = tonumber(ARGV[a + 9]),
    waiting = tonumber(ARGV[a + 10]), window = tonumber(ARGV[a + 11]), tries = tonumber(ARGV[a + 12]), pod = ARGV[a + 13],
    worker = ARGV[a + 14], running = tonumber(ARGV[a + 15]), heard = ARGV[a + 16] == '1', stop = ARGV[a + 17] == 'stop',
    runs = ARGV[a + 13] ~= ''}
end

-- A task that waits and that a pod may have been given in lost writes: the next attempt is one that no pod had, and a pod
-- that reports the lost one before keeps the task.
local function await_report(t, attempt)
  t.attempt, t.fence = attempt, UNREPORTED
end

-- This store lacks its last writes. Moves are numbered behind those that the ledger knows; where the ledger knows a later
-- state, the task is in that state.
local function make_up(t, known)
  local id = known.id
  if t.move >= known.move + MOVES_UNHEARD then
    return
  end
  local news, waits = known.move > t.move, t.state == 'PENDING'
  local next_attempt = math.max(t.attempt, known.attempt) + 1
  local same = not waits and known.runs and t.pod == known.pod and t.attempt == known.attempt
  t.move = math.max(t.move, known.move) + MOVES_UNHEARD
  if news and not same and (known.runs or not waits) then
    if waits then
      pull(id, t)
    else
      unhold(id, t)
      tell_pod(t.pod, 'renew')
    end
    t.tries = known.tries
    if known.runs then
      restore(id, t, known.pod, known.worker, known.attempt, known.running, lease_ms)
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

-- It was stopped before this, and moved in writes that are lost: then the ledger knows as many moves without
-- this end, and takes it for old news.
local function make_up_end(t, known)
  if t.move <= known.move then
    t.move, t.attempt = known.move + MOVES_UNHEARD, math.max(t.attempt, known.attempt)
    redis.call('SET', task_of(known.id), packed(t), 'EX', KEEP_S)
  end
end

local function take_in(known)
  local id = known.id
  local t = unpacked(born(known.region == '' and 'global' or known.region, known.channel, known.type, known.request, '', known.window))
  local stopped = redis.call('DEL', key('stopped', id)) == 1
  t.move, t.retries, t.created_at, t.tries = known.move + MOVES_UNHEARD, known.attempt, now - known.age, known.tries
  t.pending_at = now - known.waiting
  t.due = t.pending_at + t.window
  t.desired = (known.stop or stopped) and 'stop' or 'run'
  redis.call('SET', request_of(known.request), known.spec)
  if known.runs then
    restore(id, t, known.pod, known.worker, known.attempt, known.running, lease_ms)
    if stopped and not known.stop then
      tell(id, t, '')
    end
    return
  end
  -- In a store that lost its last writes it may have been given out, and the ledger never heard of it.
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
  if not known.heard then
    tell(id, t, '')
  end
end

for i = 1, tonumber(ARGV[2]) do
  local known = entry(4 + (i - 1) * EACH)
  local t = load(known.id)
  if t then
    if lost and (t.state == 'PENDING' or t.state == 'PROCESSING') then
      make_up(t, known)
    elseif lost then
      make_up_end(t, known)
    end
    if known.stop then
      wish_stop(known.id, t)
    end
    if t.move > known.move then
      tell(known.id, t, t.error, t.completed_at ~= '' and t.completed_at or now)
    end
  else
    take_in(known)
    count = count + 1
  end
end
return {count}
