-- Open -> as it ended: what the ledger knows to be over and this store, which lost its last writes, does
-- not. Nobody starts it again, and the word of whoever still runs it does not count.
-- KEYS[1] place   ARGV for each task: id, state, attempt, error
-- Returns how many were open
local count = 0
for i = 1, #ARGV, 4 do
  local id = ARGV[i]
  local t = load(id)
  if t and (t.state == 'PENDING' or t.state == 'PROCESSING') then
    if t.state == 'PENDING' then
      pull(id, t)
    else
      unhold(id, t)
      tell_pod(t.pod, 'renew')
    end
    t.fence, t.attempt = '', tonumber(ARGV[i + 2])
    finish(id, t, ARGV[i + 1], ARGV[i + 3])
    count = count + 1
  end
end
return count
