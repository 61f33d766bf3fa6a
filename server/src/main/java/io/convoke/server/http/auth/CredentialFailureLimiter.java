package io.convoke.server.http.auth;

import io.convoke.server.http.Caller;
import io.convoke.server.http.Problem;
import io.micrometer.core.instrument.MeterRegistry;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Counts wrong credentials by client address and kind, so that keys cannot be guessed and guesses
 * do not reach the database. After {@value #MAX_FAILURES} within a minute every credential of that
 * kind from that address is answered 429 until the minute is over, valid or not, or a guesser would
 * learn which is valid. Users' keys are also counted by their first characters, for guesses that
 * come from many addresses: then each address has {@value #FEW} tries a minute with keys that begin
 * so, and the wrong ones are answered 429. A holder elsewhere is thus not refused for the guesses.
 *
 * <p>Two exceptions keep that from locking out others. A credential that was valid before, from
 * that address or with those characters, is still checked. And signed credentials (bot tokens,
 * JWTs) cannot be guessed and are always checked, since that needs no store; only wrong ones are
 * answered 429.
 *
 * <p>At most {@value #MAX_COUNTS} counts of each sort and as many right credentials are remembered,
 * as keyed hashes; when there are more, those whose minute is over are evicted, else all.
 */
public final class CredentialFailureLimiter {
  static final int MAX_FAILURES = 100;

  /** Wrong keys that begin like those guessed elsewhere, from one address within a minute. */
  static final int FEW = 3;

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

  /** The beginning of a user's key, the eight characters after {@code cvk_} among it. */
  private record KeyPrefix(String text) {
    private static final String KEY = "cvk_";
    private static final int LENGTH = KEY.length() + 8;

    private static Optional<KeyPrefix> of(LimitedCredentialKind kind, String credential) {
      return switch (kind) {
        case API_KEY, SIGN_IN_API_KEY ->
            credential.startsWith(KEY) && credential.length() > LENGTH
                ? Optional.of(new KeyPrefix(credential.substring(0, LENGTH)))
                : Optional.empty();
        case ADMIN_KEY, INTERNAL_TOKEN, BOT_TOKEN, JWT, SIGN_IN_ADMIN_KEY, SIGN_IN_JWT ->
            Optional.empty();
      };
    }
  }

  private record PrefixFrom(KeyPrefix prefix, String address) {}

  private record FailureCount(int failures, long sinceNanos) {
    private boolean isOver(long now) {
      return now - sinceNanos >= WINDOW_NANOS;
    }
  }

  /** Failures of the last minute by what they are counted for. */
  private static final class FailureCounts<K> {
    private final Map<K, FailureCount> counts = new ConcurrentHashMap<>();

    private boolean isLimited(K subject, long now, int most) {
      FailureCount count = counts.get(subject);
      return count != null && !count.isOver(now) && count.failures >= most;
    }

    private void add(K subject, long now) {
      if (counts.size() >= MAX_COUNTS) {
        counts.values().removeIf(count -> count.isOver(now));
        if (counts.size() >= MAX_COUNTS) {
          counts.clear();
        }
      }
      FailureCount _ =
          counts.merge(
              subject,
              new FailureCount(1, now),
              (before, first) ->
                  before.isOver(now)
                      ? first
                      : new FailureCount(before.failures + 1, before.sinceNanos));
    }

    private Duration left(K subject, long now) {
      FailureCount count = counts.getOrDefault(subject, new FailureCount(0, now));
      return Duration.ofNanos(Math.max(1, WINDOW_NANOS - (now - count.sinceNanos)));
    }
  }

  private final MeterRegistry meters;
  private final LongSupplier nanoTime;
  private final byte[] salt = new byte[16];
  private final FailureCounts<FailureSubject> byAddress = new FailureCounts<>();
  private final FailureCounts<KeyPrefix> byPrefix = new FailureCounts<>();
  private final FailureCounts<PrefixFrom> byPrefixFrom = new FailureCounts<>();
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
    Optional<KeyPrefix> prefix = KeyPrefix.of(limitedCredentialKind, credential);
    long now = nanoTime.getAsLong();
    boolean signed = limitedCredentialKind.signed();
    boolean limited = byAddress.isLimited(failureSubject, now, MAX_FAILURES);
    String hash = signed ? "" : hash(address, limitedCredentialKind, credential);
    String anywhere = prefix.map(_ -> hash("", limitedCredentialKind, credential)).orElse("");
    if (limited && !signed && !isKnown(hash, now)) {
      throw refused(failureSubject, now);
    }
    Optional<PrefixFrom> guessed =
        prefix
            .filter(it -> byPrefix.isLimited(it, now, MAX_FAILURES) && !isKnown(anywhere, now))
            .map(it -> new PrefixFrom(it, address));
    if (guessed.filter(it -> byPrefixFrom.isLimited(it, now, FEW)).isPresent()) {
      throw refused(limitedCredentialKind, guessed.get(), now);
    }
    Caller caller;
    try {
      caller = look.get();
    } catch (Problem problem) {
      if (problem.status() == 401) {
        boolean _ = known.keySet().removeAll(List.of(hash, anywhere));
        if (limited) {
          throw refused(failureSubject, now);
        }
        byAddress.add(failureSubject, now);
        prefix.ifPresent(
            it -> {
              byPrefix.add(it, now);
              byPrefixFrom.add(new PrefixFrom(it, address), now);
            });
        meters
            .counter("convoke.http.credential.failures", "kind", word(limitedCredentialKind))
            .increment();
        if (guessed.isPresent()) {
          throw refused(limitedCredentialKind, guessed.get(), now);
        }
      }
      throw problem;
    }
    if (!signed) {
      remember(hash, now);
      prefix.ifPresent(_ -> remember(anywhere, now));
    }
    return caller;
  }

  private Problem refused(FailureSubject failureSubject, long now) {
    return refused(
        failureSubject.kind,
        "Too many wrong credentials came from this address.",
        byAddress.left(failureSubject, now));
  }

  private Problem refused(LimitedCredentialKind kind, PrefixFrom guessed, long now) {
    return refused(
        kind, "Too many wrong keys began like this one.", byPrefix.left(guessed.prefix(), now));
  }

  private Problem refused(LimitedCredentialKind kind, String detail, Duration left) {
    meters.counter("convoke.http.credential.refused", "kind", word(kind)).increment();
    return Problem.tooMany("too_many_failures", detail, left);
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

  private String hash(String address, LimitedCredentialKind kind, String credential) {
    return SharedSecret.keyedHash(salt, address + " " + kind + " " + credential);
  }

  private static String word(LimitedCredentialKind limitedCredentialKind) {
    return limitedCredentialKind.name().toLowerCase(Locale.ROOT);
  }
}
