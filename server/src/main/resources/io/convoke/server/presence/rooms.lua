-- Adds meetings to the room map, or removes them together with their keys.
-- KEYS[1] rooms   KEYS[2] ready
-- ARGV: three per change: '+' or '-', room, meeting
-- Returns how many entries changed.
local changed = 0
for i = 1, #ARGV, 3 do
  local add, room, meeting = ARGV[i] == '+', ARGV[i + 1], ARGV[i + 2]
  local kept, found = {}, false
  for id in string.gmatch(redis.call('HGET', KEYS[1], room) or '', '[^,]+') do
    if id == meeting then
      found = true
    else
      kept[#kept + 1] = id
    end
  end
  if add then
    kept[#kept + 1] = meeting
  end
  if #kept == 0 then
    redis.call('HDEL', KEYS[1], room)
  elseif add ~= found then
    redis.call('HSET', KEYS[1], room, table.concat(kept, ','))
  end
  if not add then
    redis.call('DEL', 'meeting_poll_requested:' .. meeting, 'convoke:presence:' .. meeting,
      'convoke:evidence:' .. meeting)
    redis.call('ZREM', KEYS[2], meeting)
  end
  if add ~= found then
    changed = changed + 1
  end
end
return changed
