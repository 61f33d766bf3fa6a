-- Nothing -> PENDING: takes in a task, once for a request however often it is asked.
-- KEYS[1] place
-- ARGV[1] id   ARGV[2] request id   ARGV[3] region or ''   ARGV[4] channel   ARGV[5] type
-- ARGV[6] 'channel' if the channel may have only this task, else ''   ARGV[7] spec (JSON)
-- ARGV[8] ms that it may wait   ARGV[9] most tasks of a queue
-- Returns {1, task} taken in, {0, task} the request's task of before,
-- {-1} the id is another request's, {-2, id} the channel has that task, {-3} the queue is full
local id, request, region, channel = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local lane = region == '' and 'global' or region
local before = redis.call('GET', key('request', request))
if before and redis.call('EXISTS', task_of(before)) == 1 then
  return {0, before, view(before)}
end
if redis.call('EXISTS', task_of(id)) == 1 then
  return {-1}
end
if redis.call('ZCARD', queue_of(lane)) >= tonumber(ARGV[9]) then
  return {-3}
end
if ARGV[6] == 'channel' then
  local other = redis.call('GET', key('channel', channel))
  if other and redis.call('EXISTS', task_of(other)) == 1 then
    return {-2, other}
  end
  redis.call('SET', key('channel', channel), id)
end
local window = tonumber(ARGV[8])
redis.call('SET', key('request', request), id)
redis.call('HSET', task_of(id), 'spec', ARGV[7], 'state', 'PENDING', 'desired', 'run', 'attempt', 0, 'retry_count', 0,
  'created_at', now, 'pending_at', now, 'processed_at', '', 'completed_at', '', 'error', '', 'pod_id', '',
  'worker_id', '', 'fence', '', 'lane', lane, 'channel', channel, 'type', ARGV[5], 'request', request,
  'unique', ARGV[6], 'window', window, 'due', now + window, 'move', 1)
local born = {state = 'PENDING', move = 1, attempt = 0, pod = '', worker = '', desired = 'run', lane = lane,
  channel = channel, request = request, unique = ARGV[6]}
put(id, lane, channel, now + window, false)
tell(id, born, '')
-- A wish to stop that was faster.
if redis.call('DEL', key('stopped', id)) == 1 then
  wish_stop(id, born)
end
return {1, id, view(id)}
