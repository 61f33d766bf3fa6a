-- Where webhooks go, and what went there.

create table webhook_endpoints (
  id         bigint generated always as identity primary key,
  -- Whose events go there; null: everybody's, for the operator.
  user_id    bigint      references users,
  url        text        not null,
  -- Empty: all types.
  types      text[]      not null default '{}',
  -- Sealed; shown once.
  secret     text        not null,
  state      text        not null default 'active' check (state in ('active', 'paused')),
  -- Why it is paused.
  reason     text,
  -- How far of the journal was made into deliveries; the journal keeps what comes while it is paused.
  routed_seq bigint      not null,
  created_at timestamptz not null default now()
);
create index webhook_endpoints_user on webhook_endpoints (user_id, id);

-- One subject of one endpoint: what goes out in order. Queue tables: no foreign keys.
create table webhook_streams (
  endpoint_id bigint  not null,
  subject     text    not null,
  -- Whether a workflow looks after it.
  running     boolean not null,
  primary key (endpoint_id, subject)
);

create table webhook_deliveries (
  id              bigint generated always as identity primary key,
  endpoint_id     bigint      not null,
  subject         text        not null,
  message_id      text        not null,
  type            text        not null,
  body            text        not null,
  state           text        not null default 'pending' check (state in ('pending', 'delivered')),
  attempts        integer     not null default 0,
  created_at      timestamptz not null default now(),
  first_tried_at  timestamptz,
  last_tried_at   timestamptz,
  next_try_at     timestamptz,
  last_status     integer,
  last_error      text,
  delivered_at    timestamptz
);
create index webhook_deliveries_stream on webhook_deliveries (endpoint_id, subject, id) where state = 'pending';
create index webhook_deliveries_log on webhook_deliveries (endpoint_id, id);
create index webhook_deliveries_age on webhook_deliveries (delivered_at) where state = 'delivered';
