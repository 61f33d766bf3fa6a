-- The clock of all dispatch scripts: the time of Redis, in ms. Prepended to every script.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
