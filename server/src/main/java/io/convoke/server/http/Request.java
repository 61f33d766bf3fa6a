package io.convoke.server.http;

import java.io.InputStream;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * One request whose parts have already been checked against the endpoint's description. Asking for
 * a path, query or header name that the description does not declare is a bug and throws {@link
 * IllegalArgumentException}, so that the document and the code cannot drift apart.
 */
public interface Request {
  /** The authenticated caller. */
  Caller caller();

  /** When the session ends that the caller came by; empty for callers by header. */
  Optional<Instant> sessionEnd();

  /**
   * The address by which the client is counted; behind a proxy that is not trusted, the proxy's.
   */
  String peer();

  /** A path parameter as text, percent-decoded. */
  String path(String name);

  /** A path parameter that is declared as an integer. */
  default long pathId(String name) {
    return Long.parseLong(path(name));
  }

  /** The first value of a query parameter. */
  Optional<String> query(String name);

  /** All values of a query parameter that may be repeated. */
  List<String> queryAll(String name);

  /** A query parameter that is declared as an integer. */
  default Optional<Long> queryLong(String name) {
    return query(name).map(Long::valueOf);
  }

  /** The requested page; only on {@linkplain Endpoint.Builder#paged() paged} endpoints. */
  PageRequest page();

  /**
   * A declared request header, or one of {@code Accept}, {@code Last-Event-ID}, {@code
   * If-None-Match}, or one about the request's origin.
   */
  Optional<String> header(String name);

  /** Whether {@code Accept} names this media type, in upper or lower case. */
  default boolean accepts(String mediaType) {
    return header("Accept")
        .filter(accept -> accept.toLowerCase(Locale.ROOT).contains(mediaType))
        .isPresent();
  }

  /** The body exactly as it was sent. */
  byte[] rawBody();

  /**
   * The body while it arrives, on endpoints with a {@linkplain Endpoint.Builder#streamedBody
   * streamed body}. Reading throws {@link Problem} 413 beyond the limit, and closes the connection
   * when nothing arrives.
   */
  InputStream bodyStream();

  /** The body as a record of the feature, snake_case; already valid against the declared schema. */
  <T> T body(Class<T> type);

  /**
   * The body as a tree; already valid against the declared schema. Use it where absent and null
   * mean different things.
   */
  JsonNode json();

  /**
   * Permits the caller one more object of a kind; operators and internal services have no quota.
   *
   * @throws Problem 429 {@code quota_exceeded} for a user who has as many as the quota permits
   */
  default void permitOneMore(QuotaName quota) {
    permitMore(quota, 1);
  }

  /**
   * Permits the caller several more objects of a kind, or none of them; operators and internal
   * services have no quota.
   *
   * @throws Problem 429 {@code quota_exceeded} for a user who would have more than the quota
   *     permits
   */
  void permitMore(QuotaName quota, int count);

  /** How many event streams a user reads on this node. */
  long openStreams(long userId);

  /** Other operations of this server, for the same caller. */
  OperationCalls operations();

  /** What the request changes, for the audit journal. */
  ActionDetails action();

  /**
   * The trace this request belongs to: 32 hex digits, also in the answer's {@code traceparent}
   * header.
   */
  String traceId();

  /** Whether the request changes nothing. */
  boolean reads();

  /**
   * Whether the caller may do this with a meeting of the given user, or with what belongs to it:
   * read those of the caller's teams, change own ones.
   *
   * @throws Problem 403 {@code not_owner} if the caller may read it and this request changes it
   */
  default boolean sees(long ownerId) {
    return switch (caller()) {
      case Caller.UserCaller user -> {
        boolean visible = user.visibleUsers().contains(ownerId);
        if (visible && !reads() && user.userId() != ownerId) {
          throw Problem.of(
              403, "not_owner", "A member of your team owns this; only its owner may change it.");
        }
        yield visible;
      }
      case Caller.AdminCaller _ -> true;
      case Caller.InternalCaller _, Caller.BotCaller _, Caller.AnonymousCaller _ -> false;
    };
  }

  /**
   * Whose meetings a list or lookup shows: those of the caller's teams, own ones alone if the
   * request changes something; for an admin those of {@code ?user_id=}, or empty for all users.
   */
  default Optional<VisibleUsers> visibleUsers() {
    return caller() instanceof Caller.UserCaller user && reads()
        ? Optional.of(user.visibleUsers())
        : ownerFilter().map(VisibleUsers::alone);
  }

  /**
   * The owner filter of what teams do not share: the calling user; for an admin {@code ?user_id=},
   * or empty for all users.
   */
  default Optional<Long> ownerFilter() {
    return switch (caller()) {
      case Caller.UserCaller userCaller -> Optional.of(userCaller.userId());
      case Caller.AdminCaller _ -> queryLong("user_id");
      case Caller.InternalCaller _, Caller.BotCaller _, Caller.AnonymousCaller _ ->
          Optional.empty();
    };
  }

  /**
   * The owner of a created object: the calling user; for an admin the one named by {@code
   * ?user_id=}.
   *
   * @throws Problem 400 if an admin names no user, 403 for callers that are no user
   */
  default long actingUser() {
    return switch (caller()) {
      case Caller.UserCaller userCaller -> userCaller.userId();
      case Caller.AdminCaller _ ->
          queryLong("user_id")
              .orElseThrow(
                  () -> Problem.badRequest("user_id", "is needed from admins, as ?user_id="));
      case Caller.InternalCaller _, Caller.BotCaller _, Caller.AnonymousCaller _ ->
          throw Problem.forbidden();
    };
  }
}
