-- Accounts of the CRM that users connected: the notes of their meetings go there.
create table crm_connections (
  user_id          bigint      primary key references users,
  -- The CRM's id of the account, and of the person there who granted access.
  account_id       text        not null,
  account_user     text        not null,
  scopes           text        not null,
  -- Access and refresh token as JSON, sealed.
  tokens           text        not null,
  expires_at       timestamptz not null,
  -- Raised with each new pair of tokens: what a writer compares.
  version          bigint      not null default 1,
  -- Until then one node may ask for the next pair.
  refreshing_until timestamptz,
  connected_at     timestamptz not null default now(),
  -- Why the CRM gives no more tokens; the user must connect again.
  failure          text
);
