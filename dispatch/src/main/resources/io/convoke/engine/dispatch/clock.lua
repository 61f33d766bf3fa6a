-- The one clock of dispatch: the store's, in ms. Stands before every function.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
