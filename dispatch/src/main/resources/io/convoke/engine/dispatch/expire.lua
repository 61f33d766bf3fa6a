-- PENDING -> TIMEOUT for all that waited longer than they may.
-- KEYS[1] place   ARGV[1] most tasks of a call
-- Returns {how many, then each queue with how many of it}; so many as were asked for means that there are more
end_delays()
local left, count, by_lane = tonumber(ARGV[1]), 0, {}
for _, queue in ipairs(redis.call('SMEMBERS', place .. 'dispatch:lanes')) do
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', queue_of(queue), '-inf', '(' .. NOW, 'LIMIT', 0, left)) do
    local t = load(id)
    if t and t.state == 'PENDING' then
      pull(id, t)
      if now > t.due then
        finish(id, t, 'TIMEOUT', 'waited longer than ' .. t.window .. ' ms')
      else
        put(id, t, false)
      end
    else
      pull_unknown(id, queue)
    end
    count, left, by_lane[queue] = count + 1, left - 1, (by_lane[queue] or 0) + 1
  end
end
return counted(count, by_lane)
