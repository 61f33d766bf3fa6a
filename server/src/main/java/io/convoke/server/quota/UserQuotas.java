package io.convoke.server.quota;

import io.convoke.engine.sql.Database;
import io.convoke.server.http.Problem;
import io.convoke.server.http.QuotaCheck;
import io.convoke.server.http.QuotaName;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * Enforces the limits of users. A count is used for at most a second, and by at most a quarter of
 * what was left then, so that a user far from a limit does not cost a query for each request, and
 * one near it does. Requests that run at the same time share a count, and may together exceed a
 * limit by their number.
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

  /** The counts under way. */
  private final Map<QuotaSubject, CompletableFuture<Long>> counts = new ConcurrentHashMap<>();

  public UserQuotas(QuotaConfig config, Database database, LongSupplier nanoTime) {
    this.config = config;
    this.queries = new UsageQueries(database);
    this.nanoTime = nanoTime;
  }

  @Override
  public void permitMore(QuotaName quota, int count, long userId, long streams) {
    Optional<Long> limit = config.limit(quota);
    QuotaSubject subject = new QuotaSubject(quota, userId);
    if (count == 0 || limit.isEmpty() || takesAllowance(subject, count)) {
      return;
    }
    long used = quota == QuotaName.STREAMS ? streams : count(subject, limit.get() - count);
    long left = limit.get() - used;
    if (left < count) {
      throw exceeded(quota, used, limit.get());
    }
    if (quota != QuotaName.STREAMS) {
      allow(subject, (left - count) / SHARE);
    }
  }

  /** How much a user has of everything, in the order of {@link QuotaName}. */
  long used(QuotaName quota, long userId, long streams) {
    return queries.used(quota, userId, streams);
  }

  Optional<Long> limit(QuotaName quota) {
    return config.limit(quota);
  }

  /**
   * Counts rows, or waits for the count that another request has begun. That one may still have
   * what the user deleted before this request, so it refuses nothing: another count follows, which
   * begins when it has ended.
   *
   * @param permitted a count that another request has begun is taken up to this
   */
  private long count(QuotaSubject subject, long permitted) {
    CompletableFuture<Long> own = new CompletableFuture<>();
    CompletableFuture<Long> running = counts.putIfAbsent(subject, own);
    if (running != null) {
      long used = await(running);
      return used <= permitted ? used : count(subject, Long.MAX_VALUE);
    }
    try {
      long used = queries.used(subject.quota, subject.userId, 0);
      boolean _ = counts.remove(subject, own);
      boolean _ = own.complete(used);
      return used;
    } catch (RuntimeException | Error e) {
      boolean _ = counts.remove(subject, own);
      boolean _ = own.completeExceptionally(e);
      throw e;
    }
  }

  private static long await(CompletableFuture<Long> running) {
    try {
      return running.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : e;
    }
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
