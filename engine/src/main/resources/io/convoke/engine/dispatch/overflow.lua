-- PENDING stays: moves what has waited too long in its region, or whose region has no live pod that takes tasks, to the
-- global queue, where every region's pods look. The deadline stays what it is.
-- KEYS[1] place   ARGV[1] most tasks of a call   ARGV[2] ms after which a task may leave its region
-- Returns {how many, then each lane with how many of it}; so many as were asked for means that there are more
end_delays()
local left, count, by_lane = tonumber(ARGV[1]), 0, {}
local live = {}
for _, pod in ipairs(redis.call('ZRANGEBYSCORE', place .. 'dispatch:pods', now, '+inf')) do
  local known = redis.call('HMGET', key('pod', pod), 'region', 'slots', 'wish')
  if known[1] and tonumber(known[2]) > 0 and known[3] ~= 'drain' then
    live[known[1]] = true
  end
end

local function spills(id, lane)
  local t = load(id)
  if not t or t.state ~= 'PENDING' then
    pull(id, lane)
    return false
  end
  if live[lane] and now - (t.due - t.window) <= tonumber(ARGV[2]) then
    return false
  end
  pull(id, lane)
  t.lane = 'global:' .. lane
  save(id, t)
  put(id, 'global:' .. lane, t.channel, t.due, false)
  return true
end

for _, lane in ipairs(redis.call('SMEMBERS', place .. 'dispatch:lanes')) do
  if not is_global(lane) and left > 0 then
    for _, id in ipairs(redis.call('ZRANGE', key('due', lane), 0, left - 1)) do
      if not spills(id, lane) then
        break
      end
      count, left, by_lane[lane] = count + 1, left - 1, (by_lane[lane] or 0) + 1
    end
  end
end
return counted(count, by_lane)
