package io.convoke.server.http.auth;

import io.convoke.server.http.Caller;
import io.convoke.server.http.Problem;
import io.micrometer.core.instrument.MeterRegistry;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Counts wrong credentials by client address and kind, so that keys cannot be guessed and guesses
 * do not reach the database. After {@value #MAX_FAILURES} within a minute every credential of that
 * kind from that address is answered 429 until the minute is over, valid or not, or a guesser would
 * learn which is valid.
 *
 * <p>Two exceptions keep that from locking out others behind the same address. A credential that
 * was valid from that address before is still checked. And signed credentials (bot tokens, JWTs)
 * cannot be guessed and are always checked, since that needs no store; only wrong ones are answered
 * 429.
 *
 * <p>At most {@value #MAX_COUNTS} counts and as many right credentials are remembered, as keyed
 * hashes; when there are more, those whose minute is over are evicted, else all.
 */
public final class CredentialFailureLimiter {
  static final int MAX_FAILURES = 100;
  static final int MAX_COUNTS = 20_000;
  private static final long WINDOW_NANOS = Duration.ofMinutes(1).toNanos();
  private static final long KNOWN_NANOS = Duration.ofHours(1).toNanos();

  /** The kinds of credentials; each is counted separately. */
  enum LimitedCredentialKind {
    ADMIN_KEY,
    API_KEY,
    INTERNAL_TOKEN,
    BOT_TOKEN,
    JWT,
    SIGN_IN_ADMIN_KEY,
    SIGN_IN_API_KEY,
    SIGN_IN_JWT;

    /** Of a bearer token, by its form. */
    static LimitedCredentialKind ofBearer(String authorization) {
      String token = authorization.substring(authorization.lastIndexOf(' ') + 1);
      if (token.startsWith("cvb_")) {
        return BOT_TOKEN;
      }
      return token.chars().filter(c -> c == '.').count() == 2 ? JWT : INTERNAL_TOKEN;
    }

    /** The kind of a sign-in credential. */
    static LimitedCredentialKind ofSignIn(Credential.CredentialKind credentialKind) {
      return switch (credentialKind) {
        case ADMIN_KEY -> SIGN_IN_ADMIN_KEY;
        case API_KEY -> SIGN_IN_API_KEY;
        case JWT -> SIGN_IN_JWT;
      };
    }

    private boolean signed() {
      return switch (this) {
        case BOT_TOKEN, JWT, SIGN_IN_JWT -> true;
        case ADMIN_KEY, API_KEY, INTERNAL_TOKEN, SIGN_IN_ADMIN_KEY, SIGN_IN_API_KEY -> false;
      };
    }
  }

  private record FailureSubject(String address, LimitedCredentialKind kind) {}

  private record FailureCount(int failures, long sinceNanos) {}

  private final MeterRegistry meters;
  private final LongSupplier nanoTime;
  private final byte[] salt = new byte[16];
  private final Map<FailureSubject, FailureCount> counts = new ConcurrentHashMap<>();
  private final Map<String, Long> known = new ConcurrentHashMap<>();

  public CredentialFailureLimiter(MeterRegistry meters, LongSupplier nanoTime) {
    this.meters = meters;
    this.nanoTime = nanoTime;
    new SecureRandom().nextBytes(salt);
  }

  /**
   * The caller that a credential authenticates, unless the address is blocked.
   *
   * @param look resolves the caller; its 401 counts as a failure
   * @throws Problem 429 with the end of the minute, or what {@code look} threw
   */
  Caller check(
      String address,
      LimitedCredentialKind limitedCredentialKind,
      String credential,
      Supplier<Caller> look) {
    FailureSubject failureSubject = new FailureSubject(address, limitedCredentialKind);
    long now = nanoTime.getAsLong();
    boolean limited = failures(failureSubject, now) >= MAX_FAILURES;
    String hash =
        limited || !limitedCredentialKind.signed() ? hash(failureSubject, credential) : "";
    if (limited && !limitedCredentialKind.signed() && !isKnown(hash, now)) {
      throw refused(failureSubject, now);
    }
    Caller caller;
    try {
      caller = look.get();
    } catch (Problem problem) {
      if (problem.status() == 401) {
        Boolean _ = known.remove(hash) != null;
        if (limited) {
          throw refused(failureSubject, now);
        }
        count(failureSubject, now);
      }
      throw problem;
    }
    if (!limitedCredentialKind.signed()) {
      remember(hash, now);
    }
    return caller;
  }

  private int failures(FailureSubject failureSubject, long now) {
    FailureCount failureCount = counts.get(failureSubject);
    return failureCount == null || isOver(failureCount, now) ? 0 : failureCount.failures;
  }

  private void count(FailureSubject failureSubject, long now) {
    if (counts.size() >= MAX_COUNTS) {
      counts.values().removeIf(failureCount -> isOver(failureCount, now));
      if (counts.size() >= MAX_COUNTS) {
        counts.clear();
      }
    }
    FailureCount _ =
        counts.merge(
            failureSubject,
            new FailureCount(1, now),
            (before, first) ->
                isOver(before, now)
                    ? first
                    : new FailureCount(before.failures + 1, before.sinceNanos));
    meters
        .counter("convoke.http.credential.failures", "kind", word(failureSubject.kind))
        .increment();
  }

  private Problem refused(FailureSubject failureSubject, long now) {
    meters
        .counter("convoke.http.credential.refused", "kind", word(failureSubject.kind))
        .increment();
    FailureCount failureCount = counts.getOrDefault(failureSubject, new FailureCount(0, now));
    Duration left = Duration.ofNanos(Math.max(1, WINDOW_NANOS - (now - failureCount.sinceNanos)));
    return Problem.tooMany(
        "too_many_failures", "Too many wrong credentials came from this address.", left);
  }

  private boolean isKnown(String hash, long now) {
    Long until = known.get(hash);
    return until != null && until - now > 0;
  }

  private void remember(String hash, long now) {
    if (known.size() >= MAX_COUNTS) {
      known.values().removeIf(until -> until - now <= 0);
      if (known.size() >= MAX_COUNTS) {
        known.clear();
      }
    }
    known.put(hash, now + KNOWN_NANOS);
  }

  private String hash(FailureSubject failureSubject, String credential) {
    return SharedSecret.keyedHash(
        salt, failureSubject.address + " " + failureSubject.kind + " " + credential);
  }

  private static boolean isOver(FailureCount failureCount, long now) {
    return now - failureCount.sinceNanos >= WINDOW_NANOS;
  }

  private static String word(LimitedCredentialKind limitedCredentialKind) {
    return limitedCredentialKind.name().toLowerCase(Locale.ROOT);
  }
}
