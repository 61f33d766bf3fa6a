-- Forgotten -> PENDING: takes in tasks that the ledger knows to be open and this store does not know.
-- What the store knows is told as it stands, so that the ledger hears what it missed; only a wish to
-- stop that the store missed is made up for.
-- KEYS[1] place
-- ARGV[1] number of tasks, then for each: id, request id, region or '', channel, type, spec,
-- attempts so far, retries so far, move, ms since its creation, ms since it waits, ms that it may
-- wait, and what is wanted of it: 'wait' as it did, which is no news; 'run'; 'stop'; or 'ran' if it is
-- to stop and ran
-- Returns for each {1} taken in, or {0, move, state, attempt, at, error, pod, worker, desired}
local answers = {}
for i = 1, tonumber(ARGV[1]) do
  local a = 2 + (i - 1) * 13
  local id, request, region, channel = ARGV[a], ARGV[a + 1], ARGV[a + 2], ARGV[a + 3]
  local t, wish = load(id), ARGV[a + 12]
  if t then
    if wish == 'stop' or wish == 'ran' then
      wish_stop(id, t)
    end
    local at = redis.call('HMGET', task_of(id), 'completed_at', 'error')
    answers[i] = {0, t.move, t.state, t.attempt, at[1] ~= '' and tonumber(at[1]) or now, at[2], t.pod, t.worker,
      t.desired}
  else
    local lane = region == '' and 'global' or region
    if redis.call('DEL', key('stopped', id)) == 1 and wish ~= 'ran' then
      wish = 'stop'
    end
    local pending_at = now - tonumber(ARGV[a + 10])
    local window = tonumber(ARGV[a + 11])
    local born = {state = 'PENDING', move = tonumber(ARGV[a + 8]), attempt = tonumber(ARGV[a + 6]), pod = '',
      worker = '', desired = (wish == 'stop' or wish == 'ran') and 'stop' or 'run', channel = channel,
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
    answers[i] = {1}
  end
end
return answers
