-- Keeps a record unless a newer one is kept: for whoever has written and for whoever has read.
-- KEYS[1] sync_status:{id}   KEYS[2] convoke:sync:generation
-- ARGV[1] the record, JSON   ARGV[2] its version   ARGV[3] how long it is kept, ms
-- ARGV[4] the generation that a reader saw before it asked the database; empty for a writer
-- Returns 1 if it is kept, 0 if what is there is as new, -1 if Redis forgot something meanwhile: then what was read
-- may be older than what was forgotten.
if ARGV[4] ~= '' and redis.call('GET', KEYS[2]) ~= ARGV[4] then
  return -1
end
local kept = redis.call('GET', KEYS[1])
if kept then
  local read, record = pcall(cjson.decode, kept)
  if read and type(record) == 'table' and type(record.version) == 'number'
      and record.version >= tonumber(ARGV[2]) then
    return 0
  end
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[3])
return 1
