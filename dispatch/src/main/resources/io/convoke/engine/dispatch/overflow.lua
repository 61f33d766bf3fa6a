-- PENDING stays PENDING: moves tasks that waited too long in their queue, or whose region has no
-- live pod that takes
-- tasks, to the overflow queue. Pods of the same region claim them first, by deadline; pods of all
-- regions may claim them.
-- The deadline does not change.
-- KEYS[1] prefix   ARGV[1] most tasks of a call   ARGV[2] ms after which a task may leave its
-- region
-- Returns {total, then each region's queue with its count}; a total equal to ARGV[1] means that
-- there may be more
release_delayed()
local left, count, by_lane = tonumber(ARGV[1]), 0, {}
local live = {}
for _, pod in ipairs(redis.call('ZRANGEBYSCORE', prefix .. 'dispatch:pods', now, '+inf')) do
  local known = redis.call('HMGET', key('pod', pod), 'region', 'slots', 'wish')
  if known[1] and tonumber(known[2]) > 0 and known[3] ~= 'drain' then
    live[known[1]] = true
  end
end

-- Tasks without a region leave no region, so they are not counted by queue.
local function overflow(queue)
  local ids, moved = redis.call('ZRANGE', queue_key(queue), 0, left - 1), {}
  for i = 1, #ids do
    local id = ids[i]
    local t = load(id)
    if not t or t.state ~= 'PENDING' then
      unqueue_unknown(id, queue)
    elseif live[queue] and now - t.pending_at <= tonumber(ARGV[2]) then
      break
    else
      unqueue(id, t)
      t.lane = 'global:' .. queue
      save(id, t)
      moved[#moved + 1] = {id, t.channel, t.due, t.type}
    end
  end
  if #moved > 0 then
    push_all('global:' .. queue, moved)
  end
  return #moved
end

live['global'] = true
for _, queue in ipairs(redis.call('SMEMBERS', prefix .. 'dispatch:lanes')) do
  if not is_overflow(queue) and left > 0 then
    local moved = overflow(queue)
    count, left = count + moved, left - moved
    if moved > 0 and queue ~= 'global' then
      by_lane[queue] = moved
    end
  end
end
return sweep_reply(count, by_lane)
