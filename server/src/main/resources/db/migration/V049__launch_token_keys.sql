-- Which secret key signed the token of a launch, so that a rotation knows what still needs the old one. Null: a server
-- of an earlier release launched it, and it counts as the old one's.
alter table bot_launches add column token_key text;
