package io.convoke.server.http;

/** The authenticated caller of a request. */
public sealed interface Caller {

  /** A person; sees own objects only, everything else is 404 to them. */
  record UserCaller(long userId) implements Caller {}

  /** The operator; sees the objects of all users. */
  record AdminCaller() implements Caller {}

  /** An internal service of Convoke. */
  record InternalCaller() implements Caller {}

  /** A bot, good for one launch (connection and attempt) of one meeting row. */
  record BotCaller(long meetingId, String connectionId, int attempt) implements Caller {}

  /** An anonymous caller; only {@link CallerRole#PUBLIC} endpoints see this. */
  record AnonymousCaller() implements Caller {}

  /** The role that these credentials prove. */
  default CallerRole role() {
    return switch (this) {
      case UserCaller _ -> CallerRole.USER;
      case AdminCaller _ -> CallerRole.ADMIN;
      case InternalCaller _ -> CallerRole.INTERNAL;
      case BotCaller _ -> CallerRole.BOT;
      case AnonymousCaller _ -> CallerRole.PUBLIC;
    };
  }

  /** Whether this caller may see an object of the given user: its owner and admins may. */
  default boolean sees(long ownerId) {
    return switch (this) {
      case UserCaller userCaller -> userCaller.userId() == ownerId;
      case AdminCaller _ -> true;
      case InternalCaller _, BotCaller _, AnonymousCaller _ -> false;
    };
  }

  /**
   * A bounded, secret-free name of the caller: {@code user:7}, {@code admin}, {@code internal},
   * {@code bot:42:<connection>}, {@code anonymous}. Scopes idempotency keys and rate limits.
   */
  default String scope() {
    return switch (this) {
      case UserCaller userCaller -> "user:" + userCaller.userId();
      case AdminCaller _ -> "admin";
      case InternalCaller _ -> "internal";
      case BotCaller botCaller -> "bot:" + botCaller.meetingId() + ":" + botCaller.connectionId();
      case AnonymousCaller _ -> "anonymous";
    };
  }
}
