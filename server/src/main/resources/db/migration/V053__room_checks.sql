-- When the platform was last asked whether the meeting in a tracked room is over.
alter table presence add column room_checked_at timestamptz;
