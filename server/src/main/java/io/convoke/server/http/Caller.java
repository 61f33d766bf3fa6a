package io.convoke.server.http;

import java.util.Comparator;
import java.util.Optional;
import java.util.Set;

/** The authenticated caller of a request. */
public sealed interface Caller {

  /**
   * A person; sees own objects and the meetings of the user's teams, everything else is 404 to
   * them.
   *
   * @param scopes what the credential may be used for, never one of an operator
   * @param credentialId the number of the API key; empty for a JWT
   * @param teamMates the other members of the user's teams
   */
  record UserCaller(
      long userId, Set<ApiScope> scopes, Optional<Long> credentialId, Set<Long> teamMates)
      implements Caller {
    /** Without a team, with a credential that names no scopes. */
    public UserCaller(long userId) {
      this(userId, ApiScope.UNLESS_NAMED, Optional.empty(), Set.of());
    }

    /** Whose meetings this user reads. */
    public VisibleUsers visibleUsers() {
      return new VisibleUsers(userId, teamMates);
    }
  }

  /**
   * A person who operates the installation; sees the objects of all users.
   *
   * @param operator who it is; empty for the admin key, which has no name
   * @param rights what of an operator's is permitted
   */
  record AdminCaller(Optional<NamedOperator> operator, OperatorRole rights) implements Caller {
    /** By the admin key. */
    public AdminCaller() {
      this(Optional.empty(), OperatorRole.ADMIN);
    }
  }

  /** A user whose credential has a scope of operators, or who has a role of operators. */
  record NamedOperator(long userId, Optional<Long> keyId) {}

  /** An internal service of Convoke. */
  record InternalCaller() implements Caller {}

  /** A bot, good for one launch (connection and attempt) of one meeting row. */
  record BotCaller(long meetingId, String connectionId, int attempt) implements Caller {}

  /** An anonymous caller; only {@link CallerRole#PUBLIC} endpoints see this. */
  record AnonymousCaller() implements Caller {}

  /** The caller that a user's credential with these scopes authenticates. */
  static Caller ofUser(
      long userId, Set<ApiScope> scopes, Optional<Long> keyId, Set<Long> teamMates) {
    return scopes.stream()
        .flatMap(scope -> scope.operatorRole().stream())
        .max(Comparator.naturalOrder())
        .<Caller>map(role -> new AdminCaller(Optional.of(new NamedOperator(userId, keyId)), role))
        .orElseGet(() -> new UserCaller(userId, scopes, keyId, teamMates));
  }

  /** The caller that the identity provider names: a user, or one with a role of operators. */
  static Caller ofPerson(long userId, Optional<OperatorRole> operatorRole, Set<Long> teamMates) {
    return operatorRole
        .<Caller>map(
            role -> new AdminCaller(Optional.of(new NamedOperator(userId, Optional.empty())), role))
        .orElseGet(
            () -> new UserCaller(userId, ApiScope.UNLESS_NAMED, Optional.empty(), teamMates));
  }

  /** What of an operator's is permitted; empty for callers that are none. */
  default Optional<OperatorRole> operatorRole() {
    return this instanceof AdminCaller admin ? Optional.of(admin.rights) : Optional.empty();
  }

  /** The number of the API key that was shown. */
  default Optional<Long> keyId() {
    return switch (this) {
      case UserCaller userCaller -> userCaller.credentialId();
      case AdminCaller adminCaller -> adminCaller.operator().flatMap(NamedOperator::keyId);
      case InternalCaller _, BotCaller _, AnonymousCaller _ -> Optional.empty();
    };
  }

  /** The user whose credential was shown, if it was a user's. */
  default Optional<Long> credentialOwner() {
    return switch (this) {
      case UserCaller userCaller -> Optional.of(userCaller.userId());
      case AdminCaller adminCaller -> adminCaller.operator().map(NamedOperator::userId);
      case InternalCaller _, BotCaller _, AnonymousCaller _ -> Optional.empty();
    };
  }

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

  /** Whether an object of the given user is this caller's to change: its owner's and admins'. */
  default boolean owns(long ownerId) {
    return switch (this) {
      case UserCaller userCaller -> userCaller.userId() == ownerId;
      case AdminCaller _ -> true;
      case InternalCaller _, BotCaller _, AnonymousCaller _ -> false;
    };
  }

  /**
   * A bounded, secret-free name of the caller: {@code user:7}, {@code admin}, {@code operator:7}
   * (user 7 with an operator's key or role), {@code internal}, {@code bot:42:<connection>}, {@code
   * anonymous}. Scopes idempotency keys and rate limits.
   */
  default String scope() {
    return switch (this) {
      case UserCaller userCaller -> "user:" + userCaller.userId();
      case AdminCaller adminCaller ->
          adminCaller.operator().map(named -> "operator:" + named.userId()).orElse("admin");
      case InternalCaller _ -> "internal";
      case BotCaller botCaller -> "bot:" + botCaller.meetingId() + ":" + botCaller.connectionId();
      case AnonymousCaller _ -> "anonymous";
    };
  }
}
