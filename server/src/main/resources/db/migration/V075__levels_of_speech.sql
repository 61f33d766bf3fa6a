-- How loud the words of a segment were, in dBov (RFC 6464): 0 is the loudest, -127 silence; null where the bot does not tell it.
alter table transcriptions add column level_db float8;
