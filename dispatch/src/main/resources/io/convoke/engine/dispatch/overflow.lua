-- PENDING stays: moves what has waited too long in its queue, or whose region has no live pod that takes tasks, to its
-- overflow queue: its own region's pods take that first, oldest first, and those of all regions take it too. The
-- deadline stays what it is.
-- KEYS[1] place   ARGV[1] most tasks of a call   ARGV[2] ms after which a task may leave its region
-- Returns {how many, then each region's queue with how many of it}; so many as were asked for means that there are more
end_delays()
local left, count, by_lane = tonumber(ARGV[1]), 0, {}
local live = {}
for _, pod in ipairs(redis.call('ZRANGEBYSCORE', place .. 'dispatch:pods', now, '+inf')) do
  local known = redis.call('HMGET', key('pod', pod), 'region', 'slots', 'wish')
  if known[1] and tonumber(known[2]) > 0 and known[3] ~= 'drain' then
    live[known[1]] = true
  end
end

-- What has no region left none, so it is not among those that are told by queue.
local function move(queue)
  local ids, moved = redis.call('ZRANGE', queue_of(queue), 0, left - 1), {}
  for i = 1, #ids do
    local id = ids[i]
    local t = load(id)
    if not t or t.state ~= 'PENDING' then
      pull_unknown(id, queue)
    elseif live[queue] and now - t.pending_at <= tonumber(ARGV[2]) then
      break
    else
      pull(id, t)
      t.lane = 'global:' .. queue
      save(id, t)
      moved[#moved + 1] = {id, t.channel, t.due, t.type}
    end
  end
  if #moved > 0 then
    put_all('global:' .. queue, moved)
  end
  return #moved
end

live['global'] = true
for _, queue in ipairs(redis.call('SMEMBERS', place .. 'dispatch:lanes')) do
  if not is_overflow(queue) and left > 0 then
    local moved = move(queue)
    count, left = count + moved, left - moved
    if moved > 0 and queue ~= 'global' then
      by_lane[queue] = moved
    end
  end
end
return counted(count, by_lane)
