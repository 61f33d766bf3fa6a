package io.convoke.server.quota;

import io.convoke.engine.sql.Database;
import io.convoke.server.http.Problem;
import io.convoke.server.http.QuotaCheck;
import io.convoke.server.http.QuotaName;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * Enforces the limits of users. A count is used for at most a second, and by at most a quarter of
 * what was left then, so that a user far from a limit does not cost a query for each request, and
 * one near it does. Requests that run at the same time may together exceed a limit by their number.
 */
public final class UserQuotas implements QuotaCheck {
  private static final Duration COUNT_VALID = Duration.ofSeconds(1);
  private static final int SHARE = 4;
  private static final int MAX_COUNTS = 10_000;
  private static final Duration RETRY = Duration.ofSeconds(30);

  private record QuotaSubject(QuotaName quota, long userId) {}

  /** How many more objects a count permits without another one, and until when. */
  private record QuotaAllowance(long permits, long untilNanos) {}

  private final QuotaConfig config;
  private final UsageQueries queries;
  private final LongSupplier nanoTime;
  private final Map<QuotaSubject, QuotaAllowance> allowances = new ConcurrentHashMap<>();

  public UserQuotas(QuotaConfig config, Database database, LongSupplier nanoTime) {
    this.config = config;
    this.queries = new UsageQueries(database);
    this.nanoTime = nanoTime;
  }

  @Override
  public void permitMore(QuotaName quota, int count, long userId, long streams) {
    Optional<Long> limit = config.limit(quota);
    if (count == 0 || limit.isEmpty() || takesAllowance(new QuotaSubject(quota, userId), count)) {
      return;
    }
    long used = queries.used(quota, userId, streams);
    long left = limit.get() - used;
    if (left < count) {
      throw exceeded(quota, used, limit.get());
    }
    if (quota != QuotaName.STREAMS) {
      allow(new QuotaSubject(quota, userId), (left - count) / SHARE);
    }
  }

  /** How much a user has of everything, in the order of {@link QuotaName}. */
  long used(QuotaName quota, long userId, long streams) {
    return queries.used(quota, userId, streams);
  }

  Optional<Long> limit(QuotaName quota) {
    return config.limit(quota);
  }

  private boolean takesAllowance(QuotaSubject subject, int count) {
    boolean[] taken = {false};
    var _ =
        allowances.computeIfPresent(
            subject,
            (_, allowance) -> {
              taken[0] =
                  allowance.permits >= count && allowance.untilNanos - nanoTime.getAsLong() > 0;
              return taken[0]
                  ? new QuotaAllowance(allowance.permits - count, allowance.untilNanos)
                  : null;
            });
    return taken[0];
  }

  private void allow(QuotaSubject subject, long permits) {
    if (permits < 1) {
      return;
    }
    if (allowances.size() >= MAX_COUNTS) {
      allowances.clear();
    }
    allowances.put(
        subject, new QuotaAllowance(permits, nanoTime.getAsLong() + COUNT_VALID.toNanos()));
  }

  private static Problem exceeded(QuotaName quota, long used, long limit) {
    return Problem.tooMany(
            "quota_exceeded",
            "You have " + used + " " + quota.shown() + " of at most " + limit + ".",
            RETRY)
        .with("quota", quota.wireName())
        .with("used", used)
        .with("limit", limit);
  }
}
