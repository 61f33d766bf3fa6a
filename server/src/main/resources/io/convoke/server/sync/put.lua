-- Stores records unless Redis has newer ones.
-- KEYS[1] convoke:sync:generation   KEYS[2..] sync_status:{id}, one for each record
-- ARGV[1] the generation that the caller read before its database query or write; '' if it has no record to store
-- ARGV[2..] for each record: its JSON, which begins with '{"generation":"' and ARGV[1]; its version; its TTL in ms
-- Returns the current generation, or '' if Redis has none: then the cache is invalid and nothing is stored.
--
-- If the generation has changed, the caller's record may be older than one that Redis has lost, so the
-- record is not stored. An older value is replaced by a marker, which has a version and no record: readers query the
-- database, and only this version or a newer one replaces the marker.
local generation = redis.call('GET', KEYS[1])
if not generation then
  return ''
end
local head = '{"generation":"' .. generation .. '"'
for i = 2, #KEYS do
  local at = 3 * (i - 2) + 2
  local version = tonumber(ARGV[at + 1])
  local stored = redis.call('GET', KEYS[i])
  local known
  if stored and string.sub(stored, 1, #head) == head then
    -- The first match is the JSON member: inside a string its quotes would be escaped.
    known = tonumber(string.match(stored, '"version":(%-?%d+)') or '')
  end
  if not known or known < version then
    if generation == ARGV[1] then
      redis.call('SET', KEYS[i], ARGV[at], 'PX', ARGV[at + 2])
    elseif version > 0 and (known ~= version - 1 or string.find(stored, '"meeting_id"', 1, true)) then
      redis.call('SET', KEYS[i], string.format('%s,"version":%d}', head, version - 1), 'PX', ARGV[at + 2])
    end
  end
end
return generation
