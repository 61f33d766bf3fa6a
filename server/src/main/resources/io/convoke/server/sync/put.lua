-- Keeps records unless newer ones are kept: for whoever has written and for whoever has read.
-- KEYS[1] convoke:sync:generation   KEYS[2] convoke:sync:readers, who looked when   KEYS[3..] sync_status:{id}, one for
-- each record
-- ARGV[1] the generation that a reader saw before it asked the database; empty for a writer
-- ARGV[2] who puts   ARGV[3] for how long a look of others is remembered, ms
-- ARGV[4..] for each record: the record, JSON; its version; how long it is kept, ms
-- Returns for each record 1 if it is kept, 0 if what is there is as new; for all of them -1 if Redis forgot something
-- meanwhile: then what was read may be older than what was forgotten. And then 1 if somebody else looked within that
-- time, or Redis has forgotten who did; else 0.
local generation = redis.call('GET', KEYS[1])
local forgot = ARGV[1] ~= '' and generation ~= ARGV[1]
local answers = {}
for i = 3, #KEYS do
  local at = 3 * (i - 3) + 4
  if forgot then
    answers[#answers + 1] = -1
  else
    -- The first such word that is no text in a text, where its quotes would be escaped; parsing all of it would
    -- cost more than all the rest. What has none is not ours.
    local kept = redis.call('GET', KEYS[i])
    local version = kept and tonumber(string.match(kept, '"version":(%-?%d+)') or '')
    if version and version >= tonumber(ARGV[at + 1]) then
      answers[#answers + 1] = 0
    else
      redis.call('SET', KEYS[i], ARGV[at], 'PX', ARGV[at + 2])
      answers[#answers + 1] = 1
    end
  end
end
local time = redis.call('TIME')
local since = time[1] * 1000 + math.floor(time[2] / 1000) - tonumber(ARGV[3])
local others = redis.call('ZCOUNT', KEYS[2], since, '+inf') - (redis.call('ZSCORE', KEYS[2], ARGV[2]) and 1 or 0)
answers[#answers + 1] = (not generation or others > 0) and 1 or 0
return answers
