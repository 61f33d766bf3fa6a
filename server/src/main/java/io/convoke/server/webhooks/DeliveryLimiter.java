package io.convoke.server.webhooks;

import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;

/**
 * Concurrency limits of webhook deliveries on this node. A user gets at most a quarter of the pool,
 * an endpoint an eighth. An endpoint that timed out is silent: it is not tried during an
 * exponential backoff, then with one message at a time; all silent endpoints together get at most a
 * quarter of the pool.
 *
 * <p>A refused lane holds no slot of the pool while it waits; it gets a retry time after those of
 * the user's lanes refused before it, spaced by the rate at which the user's deliveries finish.
 */
final class DeliveryLimiter {
  private static final Duration SILENT_AFTER = Duration.ofSeconds(4);
  private static final Duration LEFT_ALONE = Duration.ofSeconds(5);

  /** By then a trial of a silent endpoint has succeeded or failed. */
  private static final Duration TRIAL_MAX = Duration.ofSeconds(15);

  private static final Duration LEFT_ALONE_MAX = Duration.ofMinutes(1);
  private static final int DOUBLINGS_MAX = 10;
  private static final Duration WAIT_MIN = Duration.ofMillis(100);
  private static final Duration WAIT_MAX = Duration.ofSeconds(30);

  /** Minimum time between retries of a user's refused lanes: each costs the engine two steps. */
  private static final Duration STEP_MIN = Duration.ofMillis(50);

  private static final int SILENT_KNOWN_MAX = 100_000;

  private final int perUser;
  private final int perEndpoint;
  private final int silentMax;
  private final LongSupplier nanos;

  /**
   * Deliveries in progress by user; empty for operators' endpoints. This and the fields below are
   * guarded by this object.
   */
  private final Map<Optional<Long>, UserDeliveryShare> users = new HashMap<>();

  private final Map<Long, Integer> sending = new HashMap<>();

  private final Map<Long, EndpointBackoff> silent =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, EndpointBackoff> eldest) {
          return size() > SILENT_KNOWN_MAX;
        }
      };

  private int silentSending;

  /** A user's share of the pool. */
  private static final class UserDeliveryShare {
    private int sending;

    /**
     * Moving average of this user's delivery time. It starts high: an endpoint that responds
     * corrects it within a few messages, one that does not only after its timeout.
     */
    private double tookNanos = Duration.ofSeconds(2).toNanos();

    /** The retry time given to the last refused lane. */
    private long lastTurn;

    private UserDeliveryShare(long now) {
      lastTurn = now;
    }
  }

  /**
   * Backoff of a silent endpoint: consecutive timeouts, end of the backoff, and whether the trial
   * is assigned.
   */
  private static final class EndpointBackoff {
    private final int times;
    private final long until;
    private boolean trialGiven;

    private EndpointBackoff(int times, long until) {
      this.times = times;
      this.until = until;
    }
  }

  /** Response to a lane's request to send. */
  sealed interface DeliveryPermission {
    /** Refused; retry after this pause. */
    record DeliverLater(Duration pause) implements DeliveryPermission {}

    /** Granted; call {@link #ended} after sending, then close. */
    final class DeliveryPermit implements DeliveryPermission, AutoCloseable {
      private final DeliveryLimiter limits;
      private final long endpoint;
      private final Optional<Long> user;
      private final boolean wasSilent;
      private final long begun;
      private boolean answered;

      private DeliveryPermit(
          DeliveryLimiter limits, long endpoint, Optional<Long> user, boolean wasSilent) {
        this.limits = limits;
        this.endpoint = endpoint;
        this.user = user;
        this.wasSilent = wasSilent;
        this.begun = limits.nanos.getAsLong();
      }

      /** Records whether the endpoint responded, with any status. */
      void ended(boolean withAnswer) {
        answered = withAnswer;
      }

      @Override
      public void close() {
        limits.giveBack(this);
      }
    }
  }

  /** Limits for a pool of this size. */
  DeliveryLimiter(int pool) {
    this(pool, System::nanoTime);
  }

  DeliveryLimiter(int pool, LongSupplier nanos) {
    this.perUser = Math.max(1, pool / 4);
    this.perEndpoint = Math.max(1, pool / 8);
    this.silentMax = Math.max(1, pool / 4);
    this.nanos = nanos;
  }

  /**
   * Remaining backoff of an endpoint for the calling lane; empty if it may be tried. The first
   * caller becomes the trial when the backoff ends; the others wait until the trial has finished.
   */
  synchronized Optional<Duration> remainingBackoff(long endpoint) {
    EndpointBackoff endpointBackoff = silent.get(endpoint);
    long left = endpointBackoff == null ? 0 : endpointBackoff.until - nanos.getAsLong();
    if (endpointBackoff == null || left <= 0) {
      return Optional.empty();
    }
    boolean tries = !endpointBackoff.trialGiven;
    endpointBackoff.trialGiven = true;
    return Optional.of(
        tries ? Duration.ofNanos(left) : spread(Duration.ofNanos(left).plus(TRIAL_MAX)));
  }

  /** Requests a permit to send to an endpoint; {@code user} is empty for operators' endpoints. */
  synchronized DeliveryPermission tryAcquire(long endpoint, Optional<Long> user) {
    Optional<Duration> alone = remainingBackoff(endpoint);
    if (alone.isPresent()) {
      return new DeliveryPermission.DeliverLater(alone.get());
    }
    long now = nanos.getAsLong();
    boolean wasSilent = silent.containsKey(endpoint);
    int here = sending.getOrDefault(endpoint, 0);
    if (wasSilent && (here > 0 || silentSending >= silentMax)) {
      return new DeliveryPermission.DeliverLater(spread(TRIAL_MAX));
    }
    UserDeliveryShare userDeliveryShare =
        users.computeIfAbsent(user, it -> new UserDeliveryShare(now));
    if (userDeliveryShare.sending >= perUser || here >= perEndpoint) {
      return new DeliveryPermission.DeliverLater(turn(userDeliveryShare, now));
    }
    userDeliveryShare.sending++;
    silentSending += wasSilent ? 1 : 0;
    int _ = sending.merge(endpoint, 1, Integer::sum);
    return new DeliveryPermission.DeliveryPermit(this, endpoint, user, wasSilent);
  }

  private Duration turn(UserDeliveryShare userDeliveryShare, long now) {
    long step = Math.max(STEP_MIN.toNanos(), (long) (userDeliveryShare.tookNanos / perEndpoint));
    long next = Math.max(userDeliveryShare.lastTurn, now + WAIT_MIN.toNanos()) + step;
    if (next - now > WAIT_MAX.toNanos()) {
      // The queue exceeds the maximum wait; spread the retries of its tail.
      return Duration.ofMillis(
          ThreadLocalRandom.current().nextLong(WAIT_MAX.toMillis() / 2, WAIT_MAX.toMillis()));
    }
    userDeliveryShare.lastTurn = next;
    return Duration.ofNanos(next - now);
  }

  private synchronized void giveBack(DeliveryPermission.DeliveryPermit deliveryPermit) {
    long now = nanos.getAsLong();
    long took = now - deliveryPermit.begun;
    UserDeliveryShare userDeliveryShare =
        users.computeIfAbsent(deliveryPermit.user, it -> new UserDeliveryShare(now));
    userDeliveryShare.sending--;
    userDeliveryShare.tookNanos += (took - userDeliveryShare.tookNanos) / 8;
    if (userDeliveryShare.sending == 0 && userDeliveryShare.lastTurn <= now) {
      UserDeliveryShare _ = users.remove(deliveryPermit.user);
    }
    silentSending -= deliveryPermit.wasSilent ? 1 : 0;
    int _ = sending.merge(deliveryPermit.endpoint, -1, Integer::sum);
    boolean _ = sending.remove(deliveryPermit.endpoint, 0);
    if (deliveryPermit.answered) {
      EndpointBackoff _ = silent.remove(deliveryPermit.endpoint);
    } else if (took >= SILENT_AFTER.toNanos()) {
      silent(deliveryPermit, now);
    }
  }

  /** Records a timeout; concurrent ones count once. */
  private void silent(DeliveryPermission.DeliveryPermit deliveryPermit, long now) {
    EndpointBackoff before = silent.remove(deliveryPermit.endpoint);
    int times = before == null ? 0 : before.times + (before.until <= deliveryPermit.begun ? 1 : 0);
    long alone = LEFT_ALONE.toNanos() << Math.min(times, DOUBLINGS_MAX);
    EndpointBackoff _ =
        silent.put(
            deliveryPermit.endpoint,
            new EndpointBackoff(times, now + Math.min(LEFT_ALONE_MAX.toNanos(), alone)));
  }

  /** Adds jitter, so that the lanes of an endpoint do not retry at once. */
  private static Duration spread(Duration least) {
    return least.plusMillis(ThreadLocalRandom.current().nextLong(least.toMillis()));
  }
}
