-- PENDING -> TIMEOUT for all tasks past their deadline.
-- KEYS[1] prefix   ARGV[1] most tasks of a call
-- Returns {total, then each queue with its count}; a total equal to ARGV[1] means that there may be
-- more
release_delayed()
local left, count, by_lane = tonumber(ARGV[1]), 0, {}
for _, queue in ipairs(redis.call('SMEMBERS', prefix .. 'dispatch:lanes')) do
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', queue_key(queue), '-inf', '(' .. NOW, 'LIMIT', 0, left)) do
    local t = load(id)
    if t and t.state == 'PENDING' then
      unqueue(id, t)
      if now > t.due then
        finish(id, t, 'TIMEOUT', 'waited longer than ' .. t.window .. ' ms')
      else
        push(id, t, false)
      end
    else
      unqueue_unknown(id, queue)
    end
    count, left, by_lane[queue] = count + 1, left - 1, (by_lane[queue] or 0) + 1
  end
end
return sweep_reply(count, by_lane)
