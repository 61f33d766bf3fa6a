-- Records the time of the last reconciliation tick, by the clock of Redis.
-- KEYS[1] last tick
local time = redis.call('TIME')
redis.call('HSET', KEYS[1], 'at', time[1] * 1000 + math.floor(time[2] / 1000))
return 1
