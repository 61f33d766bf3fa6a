-- The user for whom every visit to the room, or to the rooms of the prefix, is tracked. The rule holds while the claim is
-- that user's: an earlier release, which moves claims without this column, so ends it.
alter table rooms add column tracks_for bigint;
create index rooms_tracking on rooms (platform, user_id) where tracks_for is not null;
-- The platform's own id of the meeting that the latest snapshot showed in the room.
alter table presence add column platform_session text;
