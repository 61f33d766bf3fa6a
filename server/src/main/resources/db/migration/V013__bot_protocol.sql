-- Which words a bot speaks: our own callbacks, or those of Vexa's image. Set at the launch, or by the bot's first call.
alter table meetings
  add column bot_protocol text not null default 'convoke' check (bot_protocol in ('convoke', 'vexa'));
