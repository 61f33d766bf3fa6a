-- Forgotten -> PENDING: takes in tasks that the ledger knows to be open and this store does not know.
-- What the store knows is left as it is, and told once more if it is more than the ledger knows: by
-- the outbox, behind what that still has to tell. Only a wish to stop that it missed is made up for.
-- KEYS[1] place
-- ARGV[1] number of tasks, then for each: id, request id, region or '', channel, type, spec,
-- attempts so far, retries so far, last move, ms since its creation, ms since it waits, ms that it may
-- wait, and what is wanted of it: 'wait' as it did, which is no news; 'run'; 'stop'; or 'ran' if it is
-- to stop and ran
-- Returns how many were taken in
local MOVES_UNHEARD = 1000
local count = 0
for i = 1, tonumber(ARGV[1]) do
  local a = 2 + (i - 1) * 13
  local id, request, region, channel = ARGV[a], ARGV[a + 1], ARGV[a + 2], ARGV[a + 3]
  local t, wish = load(id), ARGV[a + 12]
  if t then
    if wish == 'stop' or wish == 'ran' then
      wish_stop(id, t)
    end
    if t.move > tonumber(ARGV[a + 8]) then
      local known = redis.call('HMGET', task_of(id), 'error', 'completed_at')
      tell(id, t, known[1], known[2] ~= '' and known[2] or now)
    end
  else
    local lane = region == '' and 'global' or region
    if redis.call('DEL', key('stopped', id)) == 1 and wish ~= 'ran' then
      wish = 'stop'
    end
    local pending_at = now - tonumber(ARGV[a + 10])
    local window = tonumber(ARGV[a + 11])
    local to_stop = wish == 'stop' or wish == 'ran'
    local born = {state = 'PENDING', move = tonumber(ARGV[a + 8]) + MOVES_UNHEARD, pod = '', worker = '',
      attempt = tonumber(ARGV[a + 6]), desired = to_stop and 'stop' or 'run', channel = channel,
      request = request, unique = ''}
    redis.call('SET', key('request', request), id)
    redis.call('HSET', task_of(id), 'spec', ARGV[a + 5], 'state', 'PENDING', 'desired', born.desired,
      'attempt', born.attempt, 'retry_count', ARGV[a + 7], 'created_at', now - tonumber(ARGV[a + 9]),
      'pending_at', pending_at, 'processed_at', '', 'completed_at', '', 'error', '', 'pod_id', '', 'worker_id', '',
      'fence', '', 'lane', lane, 'channel', channel, 'type', ARGV[a + 4], 'request', request, 'unique', '',
      'window', window, 'due', pending_at + window, 'move', born.move)
    if wish == 'ran' then
      finish(id, born, 'SUCCESS', '')
    elseif born.desired == 'stop' then
      finish(id, born, 'FAILED', 'stopped')
    else
      put(id, lane, channel, pending_at + window, false)
      if wish == 'run' then
        tell(id, born, '')
      end
    end
    count = count + 1
  end
end
return count
