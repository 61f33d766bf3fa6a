-- What the ledger knows to have ended, and this store, which went back in time, does not: ends here too.
-- KEYS[1] place   ARGV, for each task: id, its state in the ledger
-- Returns how many ended now
local count = 0
for i = 1, #ARGV, 2 do
  local id = ARGV[i]
  local t = load(id)
  if t and (t.state == 'PENDING' or t.state == 'PROCESSING') then
    if t.state == 'PENDING' then
      pull(id, t.lane)
    else
      unhold(id, t)
    end
    finish(id, t, ARGV[i + 1], '')
    count = count + 1
  end
end
return count
