-- Deletes the generation of a key space that the database does not know, as after one of the stores
-- was restored from a
-- backup; a maintainer then compares the key space again. A rebuild in progress does so anyway.
-- KEYS[1] prefix   ARGV[1] the generation
-- Returns 1, or 0 if the key space has another generation or is being rebuilt
if redis.call('GET', prefix .. 'dispatch:generation') ~= ARGV[1] or redis.call('EXISTS', prefix .. 'dispatch:rebuild') == 1 then
  return {0}
end
redis.call('DEL', prefix .. 'dispatch:generation')
wake_maintainer()
return {1}
