package io.convoke.server.http;

import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What the key or JWT of a user may be used for. Each endpoint for users names the one of its
 * objects: that scope permits reading and changing them. {@link #READ} permits reading everything.
 */
public enum ApiScope {
  /** To read everything that its user may see; no change. */
  READ,
  /** Meetings, their rooms, presence, recordings, transcripts, workflows and sync. */
  MEETINGS,
  /** Bots. */
  BOTS,
  /** Tasks, dead letters and regions. */
  TASKS,
  /** Webhook endpoints and their deliveries. */
  WEBHOOKS,
  /** What {@link OperatorRole#VIEWER} may do, under the name of the key's user. */
  VIEWER,
  /** What {@link OperatorRole#OPERATOR} may do, under the name of the key's user. */
  OPERATOR,
  /** Everything that the admin key may do, under the name of the key's user. */
  ADMIN;

  /** Those that make their holder an operator of the installation. */
  public static final Set<ApiScope> OF_OPERATORS =
      Collections.unmodifiableSet(EnumSet.of(VIEWER, OPERATOR, ADMIN));

  /** What a key may do that was issued without scopes: all of a user's. */
  public static final Set<ApiScope> UNLESS_NAMED =
      Collections.unmodifiableSet(EnumSet.complementOf(EnumSet.copyOf(OF_OPERATORS)));

  /** The role that this scope gives; empty for those of users. */
  public Optional<OperatorRole> operatorRole() {
    return switch (this) {
      case VIEWER -> Optional.of(OperatorRole.VIEWER);
      case OPERATOR -> Optional.of(OperatorRole.OPERATOR);
      case ADMIN -> Optional.of(OperatorRole.ADMIN);
      case READ, MEETINGS, BOTS, TASKS, WEBHOOKS -> Optional.empty();
    };
  }

  /** Its name in requests, answers and tables. */
  public String wireName() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Those of ours that the {@code scope} claim of a JWT names: a text with spaces (RFC 8693), or a
   * list, as some issuers write it.
   */
  public static Set<ApiScope> namedIn(@Nullable Object scopeClaim) {
    Stream<?> texts =
        switch (scopeClaim) {
          case String text -> Stream.of(text);
          case Collection<?> list -> list.stream();
          case null, default -> Stream.empty();
        };
    Set<ApiScope> named = EnumSet.noneOf(ApiScope.class);
    texts
        .flatMap(text -> Arrays.stream(String.valueOf(text).split(" ", -1)))
        .map(ApiScope::of)
        .forEach(scope -> scope.ifPresent(named::add));
    return named;
  }

  /** The scope of this name. */
  public static Optional<ApiScope> of(String wireName) {
    return Arrays.stream(values()).filter(scope -> scope.wireName().equals(wireName)).findFirst();
  }
}
