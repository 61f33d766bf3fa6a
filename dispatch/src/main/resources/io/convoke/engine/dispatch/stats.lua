-- Returns statistics of a key space; changes nothing.
-- KEYS[1] prefix
-- Returns {queues, pods, outbox length}; a queue is {name, pending tasks, ms that its oldest has
-- waited or -1}, a live pod
-- is {region, slots, free, held, name, 1 if it is draining, else 0}
local lanes, pods, delayed = {}, {}, {}
for _, id in ipairs(redis.call('ZRANGE', DELAYED, 0, DELAYED_MAX - 1)) do
  local t = load(id)
  if t then
    delayed[t.lane] = (delayed[t.lane] or 0) + 1
  end
end
for _, queue in ipairs(redis.call('SMEMBERS', prefix .. 'dispatch:lanes')) do
  local oldest = redis.call('ZRANGE', queue_key(queue), 0, 0)
  local first = oldest[1] and load(oldest[1])
  lanes[#lanes + 1] = {queue, redis.call('ZCARD', queue_key(queue)), first and now - first.pending_at or -1}
end
for lane, count in pairs(delayed) do
  lanes[#lanes + 1] = {lane, count, -1}
end
for _, pod in ipairs(redis.call('ZRANGEBYSCORE', prefix .. 'dispatch:pods', now, '+inf')) do
  local known = redis.call('HMGET', key('pod', pod), 'region', 'slots', 'free', 'wish')
  if known[1] then
    pods[#pods + 1] = {known[1], tonumber(known[2]), tonumber(known[3]), redis.call('ZCARD', key('leases', pod)), pod,
      known[4] == 'drain' and 1 or 0}
  end
end
return {lanes, pods, redis.call('XLEN', prefix .. 'dispatch:outbox')}
