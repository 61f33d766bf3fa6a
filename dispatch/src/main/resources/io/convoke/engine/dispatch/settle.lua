-- Open -> its final state: ends tasks that ended in the database but not in this Redis, which lost
-- its last writes. Later
-- reports about them are refused.
-- KEYS[1] prefix   ARGV for each task: id, state, attempt, error
-- Returns how many were open
local count = 0
for i = 1, #ARGV, 4 do
  local id = ARGV[i]
  local t = load(id)
  if t and (t.state == 'PENDING' or t.state == 'PROCESSING') then
    if t.state == 'PENDING' then
      unqueue(id, t)
    else
      drop_lease(id, t)
      notify_pod(t.pod, 'renew')
    end
    t.fence, t.attempt = '', tonumber(ARGV[i + 2])
    finish(id, t, ARGV[i + 1], ARGV[i + 3])
    count = count + 1
  end
end
return count
