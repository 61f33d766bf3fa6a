-- Keeps records unless newer ones are kept: for whoever has written and for whoever has read.
-- KEYS[1] convoke:sync:generation   KEYS[2] convoke:sync:readers, who looked when   KEYS[3..] sync_status:{id}, one for
-- each record
-- ARGV[1] the generation that was seen before the database was asked or told; empty where none was
-- ARGV[2] who puts   ARGV[3] for how long a look of others is remembered, ms
-- ARGV[4..] for each record: the record, JSON; its version; how long it is kept, ms
-- Returns for each record 1 if it is kept, 0 if what is there is as new; -1 if nothing is there and Redis forgot something
-- since that generation: it may have been something newer. Then a floor is kept, which is no record and says that nothing
-- older may come. And then 1 if somebody else looked within that time, or Redis has forgotten who did; else 0.
local generation = redis.call('GET', KEYS[1])
local sure = generation and generation == ARGV[1]
local answers = {}
for i = 3, #KEYS do
  local at = 3 * (i - 3) + 4
  local new = tonumber(ARGV[at + 1])
  -- The first such word that is no text in a text, where its quotes would be escaped; parsing all of it would
  -- cost more than all the rest. What has none is not ours.
  local kept = redis.call('GET', KEYS[i])
  local version = kept and tonumber(string.match(kept, '"version":(%-?%d+)') or '')
  if version and version >= new then
    answers[#answers + 1] = 0
  elseif sure or (version and string.sub(kept, 1, 10) ~= '{"version"') then
    redis.call('SET', KEYS[i], ARGV[at], 'PX', ARGV[at + 2])
    answers[#answers + 1] = 1
  else
    if new > 0 then
      redis.call('SET', KEYS[i], string.format('{"version":%d}', new - 1), 'PX', ARGV[at + 2])
    end
    answers[#answers + 1] = -1
  end
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if not generation then
  -- Who looked is forgotten too, and may tell for a moment what was there: somebody unknown did.
  redis.call('ZADD', KEYS[2], now, '?')
  redis.call('PEXPIRE', KEYS[2], ARGV[3])
end
local looked = redis.call('ZCOUNT', KEYS[2], now - tonumber(ARGV[3]), '+inf')
local others = looked - (redis.call('ZSCORE', KEYS[2], ARGV[2]) and 1 or 0)
answers[#answers + 1] = others > 0 and 1 or 0
return answers
