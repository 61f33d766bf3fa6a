package io.convoke.server.http;

/** The authenticated caller of a request. */
public sealed interface Caller {

  /** A person; sees own objects only, everything else is 404 to them. */
  record User(long userId) implements Caller {}

  /** The operator; sees the objects of all users. */
  record Admin() implements Caller {}

  /** One of our own services. */
  record Internal() implements Caller {}

  /** A bot, good for one launch (connection and attempt) of one meeting row. */
  record Bot(long meetingId, String connectionId, int attempt) implements Caller {}

  /** An anonymous caller; only {@link Role#PUBLIC} endpoints see this. */
  record Anonymous() implements Caller {}

  /** The role that these credentials prove. */
  default Role role() {
    return switch (this) {
      case User _ -> Role.USER;
      case Admin _ -> Role.ADMIN;
      case Internal _ -> Role.INTERNAL;
      case Bot _ -> Role.BOT;
      case Anonymous _ -> Role.PUBLIC;
    };
  }

  /** Whether this caller may see an object of the given user: its owner and admins may. */
  default boolean sees(long ownerId) {
    return switch (this) {
      case User user -> user.userId() == ownerId;
      case Admin _ -> true;
      case Internal _, Bot _, Anonymous _ -> false;
    };
  }

  /**
   * A bounded, secret-free name of the caller: {@code user:7}, {@code admin}, {@code internal},
   * {@code bot:42:<connection>}, {@code anonymous}. Scopes idempotency keys and rate limits.
   */
  default String scope() {
    return switch (this) {
      case User user -> "user:" + user.userId();
      case Admin _ -> "admin";
      case Internal _ -> "internal";
      case Bot bot -> "bot:" + bot.meetingId() + ":" + bot.connectionId();
      case Anonymous _ -> "anonymous";
    };
  }
}
