-- PENDING -> TIMEOUT for all that waited longer than they may.
-- KEYS[1] place   ARGV[1] most tasks of a call
-- Returns {how many, then each lane with how many of it}; so many as were asked for means that there are more
end_delays()
local left, count, by_lane = tonumber(ARGV[1]), 0, {}
for _, lane in ipairs(redis.call('SMEMBERS', place .. 'dispatch:lanes')) do
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', key('due', lane), '-inf', '(' .. now, 'LIMIT', 0, left)) do
    local t = load(id)
    pull(id, lane)
    if t and t.state == 'PENDING' then
      finish(id, t, 'TIMEOUT', 'waited longer than ' .. t.window .. ' ms')
    end
    count, left, by_lane[lane] = count + 1, left - 1, (by_lane[lane] or 0) + 1
  end
end
return counted(count, by_lane)
