package io.convoke.server.http;

/** The roles of callers. {@link #ADMIN} may also call every endpoint that {@link #USER} may. */
public enum CallerRole {
  /**
   * Anyone, without credentials; such a handler authenticates by itself (signed webhooks) or needs
   * nothing.
   */
  PUBLIC,
  /** A person's {@code X-API-Key} or JWT. */
  USER,
  /**
   * The operator's {@code X-Admin-API-Key}, a user's credential with one of {@link
   * ApiScope#OF_OPERATORS}, or a person with an {@link OperatorRole}.
   */
  ADMIN,
  /** Our own services, by the internal bearer token. */
  INTERNAL,
  /** A bot, by the token of its own {@code BOT_CONFIG}. */
  BOT
}
