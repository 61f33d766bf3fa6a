-- Forgotten -> PENDING: takes in tasks that the ledger knows to be open and this store does not know.
-- What the store knows is left as it is, and told once more if it is more than the ledger knows: by
-- the outbox, behind what that still has to tell. Only a wish to stop that it missed is made up for; and
-- in a store that may have lost its last writes, what it may not know of attempts and moves.
-- KEYS[1] place
-- ARGV[1] what stood here when the ledger was read: the generation, or '', or the token of the rebuild that
-- read it   ARGV[2] number of tasks, then for each: id, request id, region or '', channel, type, id|spec,
-- attempts so far, retries so far, last move, ms since its creation, ms since it waits, less than 0 if its next try
-- is to come then, ms that it may wait, tries that failed in a row, and what is wanted of it: 'wait' as it did, which is no news; 'run'; 'stop'; or 'ran' if it is
-- to stop and ran; last the server's run id
-- Returns how many were taken in, or -1 if what stood here does not any more: who slept since they read the ledger
-- may bring what has ended meanwhile
if ARGV[1] ~= (redis.call('GET', place .. 'dispatch:generation') or '') and
    ARGV[1] ~= redis.call('GET', place .. 'dispatch:rebuild') then
  return {-1}
end
local MOVES_UNHEARD = 1000
local count = 0

-- Somebody may have been given this task, and even have given it back, in writes that are lost. So the next
-- attempt is one that nobody had, moves are numbered behind those that the ledger knows, and who was
-- followed by another does not hold it any more. What somebody had, as the ledger knows, waits anew.
local function make_up(id, t, attempt, move, waited, since, tries)
  if t.move >= move + MOVES_UNHEARD then
    return
  end
  local news, waits = move > t.move, t.state == 'PENDING'
  local next_attempt = math.max(t.attempt, attempt) + 1
  t.move = math.max(t.move, move) + MOVES_UNHEARD
  if news and (waits and not waited or not waits and (waited or attempt > t.attempt)) then
    if waits then
      pull(id, t)
    else
      unhold(id, t)
    end
    t.state, t.pod, t.worker, t.fence, t.processed_at = 'PENDING', '', '', '', ''
    t.pending_at, t.attempt, t.tries = math.max(now, now - since), next_attempt, tries
    t.due = t.pending_at + t.window
    save(id, t)
    await_claim(id, t, true)
  else
    t.attempt = waits and next_attempt or t.attempt
    save(id, t)
  end
end

-- It was stopped before this, and moved in writes that are lost: then the ledger knows as many moves without
-- this end, and takes it for old news.
local function make_up_end(id, t, attempt, move)
  if t.move <= move then
    t.move, t.attempt = move + MOVES_UNHEARD, math.max(t.attempt, attempt)
    redis.call('SET', task_of(id), packed(t), 'EX', KEEP_S)
  end
end

local lost = not same_life()
for i = 1, tonumber(ARGV[2]) do
  local a = 3 + (i - 1) * 14
  local id, request, region, channel = ARGV[a], ARGV[a + 1], ARGV[a + 2], ARGV[a + 3]
  local t, wish = load(id), ARGV[a + 13]
  if t then
    if lost and (t.state == 'PENDING' or t.state == 'PROCESSING') then
      make_up(id, t, tonumber(ARGV[a + 7]), tonumber(ARGV[a + 8]), wish == 'wait', tonumber(ARGV[a + 10]), tonumber(ARGV[a + 12]))
    elseif lost then
      make_up_end(id, t, tonumber(ARGV[a + 7]), tonumber(ARGV[a + 8]))
    end
    if wish == 'stop' or wish == 'ran' then
      wish_stop(id, t)
    end
    if t.move > tonumber(ARGV[a + 8]) then
      tell(id, t, t.error, t.completed_at ~= '' and t.completed_at or now)
    end
  else
    local lane = region == '' and 'global' or region
    if redis.call('DEL', key('stopped', id)) == 1 and wish ~= 'ran' then
      wish = 'stop'
    end
    local fresh = unpacked(born(lane, channel, ARGV[a + 4], request, '', tonumber(ARGV[a + 11])))
    fresh.move, fresh.attempt = tonumber(ARGV[a + 8]) + MOVES_UNHEARD, tonumber(ARGV[a + 6])
    if lost then
      -- It may have come here, and been given out, in what was lost, and the ledger never heard of it.
      fresh.attempt = math.max(fresh.attempt, tonumber(ARGV[a + 7]) + 1)
    end
    fresh.retries, fresh.created_at = tonumber(ARGV[a + 7]), now - tonumber(ARGV[a + 9])
    fresh.pending_at, fresh.tries = now - tonumber(ARGV[a + 10]), tonumber(ARGV[a + 12])
    fresh.due = fresh.pending_at + fresh.window
    redis.call('SET', request_of(request), ARGV[a + 5])
    if wish == 'ran' or wish == 'stop' then
      fresh.desired = 'stop'
      finish(id, fresh, wish == 'ran' and 'SUCCESS' or 'FAILED', wish == 'ran' and '' or 'stopped')
    else
      save(id, fresh)
      await_claim(id, fresh, false)
      if wish == 'run' then
        tell(id, fresh, '')
      end
    end
    count = count + 1
  end
end
return {count}
