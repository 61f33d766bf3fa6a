-- Who a user is at the OpenID Connect issuer. Columns are added alone, so that the release before runs on this schema.

alter table users
  add column oidc_issuer  text,
  add column oidc_subject text;
create unique index users_oidc on users (oidc_issuer, oidc_subject) where oidc_subject is not null;
