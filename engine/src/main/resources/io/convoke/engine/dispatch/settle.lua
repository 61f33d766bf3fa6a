-- Open -> as it ended: what the ledger knows to be over and this store, which lost its last writes, does
-- not. Nobody starts it again, and the word of whoever still runs it does not count.
-- KEYS[1] place   ARGV for each task: id, state, error
-- Returns how many were open
local count = 0
for i = 1, #ARGV, 3 do
  local id = ARGV[i]
  local t = load(id)
  if t and (t.state == 'PENDING' or t.state == 'PROCESSING') then
    if t.state == 'PENDING' then
      pull(id, t.lane)
    else
      unhold(id, t)
    end
    t.fence = ''
    finish(id, t, ARGV[i + 1], ARGV[i + 2])
    count = count + 1
  end
end
return count
