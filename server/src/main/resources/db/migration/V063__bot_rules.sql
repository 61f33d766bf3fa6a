-- Rules, progress, lobby and queue of bots. All columns are additions that an older release neither reads nor writes: a bot
-- that waits in the lobby stays 'starting', one that waits for a free place 'reserved' with a start_at ahead.
alter table meetings
  -- The id in the address that the bot joins, where the user gave the meeting another one: both are one meeting.
  add column meeting_key        text,
  -- Since when the bot waits for admission.
  add column lobby_since        timestamptz,
  add column max_lifetime_ms    bigint,
  add column silence_timeout_ms bigint,
  -- A rule of the server asks the bot to leave: since when, and the reason of its end.
  add column end_requested_at   timestamptz,
  add column end_reason         text,
  -- The bot's last report on what it hears and sees, and when that report last differed from the one before.
  add column progress           jsonb,
  add column progressed_at      timestamptz,
  add column stalled_at         timestamptz,
  add column spoke_at           timestamptz,
  -- While it waits for a place: since when, and until when (its start_at).
  add column queued_at          timestamptz,
  add column queue_until        timestamptz;

-- The few bots that have a key: what a start and a request by another spelling look for.
create index meetings_by_key on meetings (platform, meeting_key, user_id) where meeting_key is not null;
-- The few bots that wait for a place, first come first served.
create index meetings_queued on meetings (user_id, queued_at, id)
  where queued_at is not null and not tracked and status in ('requested', 'reserved');
-- The few bots that have been asked to leave by a rule, and have not left.
create index meetings_end_requested on meetings (end_requested_at)
  where end_requested_at is not null and not tracked
    and status in ('requested', 'reserved', 'starting', 'active', 'stopping');
