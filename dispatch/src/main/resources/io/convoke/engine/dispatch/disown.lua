-- Has this place compared with the ledger: its generation is none that the ledger knows, as when one of both
-- was put back to an earlier state. A rebuild that is on its way does so anyway.
-- KEYS[1] place   ARGV[1] the generation
-- Returns 1, or 0 if it is another's by now
if redis.call('GET', place .. 'dispatch:generation') ~= ARGV[1] or redis.call('EXISTS', place .. 'dispatch:rebuild') == 1 then
  return {0}
end
redis.call('DEL', place .. 'dispatch:generation')
call_tender()
return {1}
