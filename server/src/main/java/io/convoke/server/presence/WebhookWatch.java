package io.convoke.server.presence;

import io.convoke.engine.redis.Redis;
import io.convoke.engine.redis.RedisUnavailable;
import io.convoke.engine.sql.SqlFailure;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.engine.wake.Pause;
import io.convoke.server.platform.RemoteWebhook;
import io.convoke.server.platform.RemoteWebhook.Standing;
import io.lettuce.core.RedisException;
import io.lettuce.core.SetArgs;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps our webhook at the platform alive: registers it when there is none, sets it going again
 * when the platform stopped it, and says so. One node looks at a time; each waits longer while
 * mending does not last.
 */
final class WebhookWatch implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(WebhookWatch.class);

  /** Between two looks while meetings are live. */
  static final Duration LIVE = Duration.ofMinutes(1);

  /** Between two looks while nobody waits for an event. */
  static final Duration IDLE = Duration.ofMinutes(5);

  private static final Duration RETRY = Duration.ofSeconds(5);
  private static final Duration LONGEST = Duration.ofMinutes(10);

  /** How much sooner than its holder's next look a lock ends. */
  private static final Duration EARLY = Duration.ofMillis(500);

  private final Redis redis;
  private final RemoteWebhook remote;
  private final WebhookHealth health;
  private final PresenceMeters meters;
  private final BooleanSupplier live;
  private final Pause pause = new Pause();

  /** Looks in a row that did not find it active. */
  private int struggles;

  WebhookWatch(
      Redis redis,
      RemoteWebhook remote,
      WebhookHealth health,
      PresenceMeters meters,
      BooleanSupplier live) {
    this.redis = redis;
    this.remote = remote;
    this.health = health;
    this.meters = meters;
    this.live = live;
  }

  /** Redis is there again: whoever waits for it looks now, unless somebody did. */
  void resume() {
    pause.wake();
  }

  void start() {
    var _ = Thread.ofVirtual().name("presence-webhook").start(this::run);
  }

  @Override
  public void close() {
    pause.close();
  }

  private void run() {
    try {
      do {
        // The first look is at once.
      } while (pause.await(round()));
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  Duration round() {
    try {
      return lookIfDue();
    } catch (RedisUnavailable | RedisException | StoreUnavailable | SqlFailure away) {
      log.info("nobody looks after the webhook for now: {}", away.getMessage());
    } catch (RuntimeException | Error bug) {
      log.error("looking after the webhook failed, it goes on", bug);
    }
    return usual();
  }

  /** Looks unless another node did; answers when to try again. */
  private Duration lookIfDue() {
    if (!locked()) {
      return usual();
    }
    Duration next = look();
    boolean _ =
        redis.call(commands -> commands.pexpire(Keys.WEBHOOK_LOCK, next.minus(EARLY).toMillis()));
    return next;
  }

  /** One look, with what it takes to put things right; answers how long to wait. */
  synchronized Duration look() {
    meters.watched("looked");
    Standing seen = remote.look();
    state(seen).ifPresent(health::looked);
    return switch (seen) {
      case Standing.Active _ -> {
        struggles = 0;
        yield usual();
      }
      case Standing.Elsewhere _ -> usual();
      case Standing.Unknown unknown -> {
        log.info("the webhook's state is unknown ({})", unknown.outage().cause());
        yield usual();
      }
      case Standing.Failed _, Standing.Differs _, Standing.Missing _ -> mend(seen);
    };
  }

  private Duration mend(Standing seen) {
    Standing after = remote.mend(seen);
    state(after).ifPresent(health::looked);
    int before = struggles++;
    if (after instanceof Standing.Active) {
      meters.watched("mended");
      return doubled(usual(), before);
    }
    meters.watched("refused");
    log.warn("the platform did not take our webhook ({}), it is tried again", after);
    return doubled(RETRY, before);
  }

  private Duration usual() {
    return live.getAsBoolean() ? LIVE : IDLE;
  }

  private static Duration doubled(Duration first, int times) {
    Duration wait = first.multipliedBy(1L << Math.min(times, 10));
    return wait.compareTo(LONGEST) > 0 ? LONGEST : wait;
  }

  private boolean locked() {
    return "OK"
        .equals(
            redis.call(
                commands ->
                    commands.set(
                        Keys.WEBHOOK_LOCK,
                        "1",
                        SetArgs.Builder.nx().px(LIVE.minus(EARLY).toMillis()))));
  }

  /** What a look says about deliveries; empty when it says nothing. */
  private static Optional<WebhookState> state(Standing standing) {
    return switch (standing) {
      case Standing.Active _, Standing.Differs _ -> Optional.of(WebhookState.ACTIVE);
      case Standing.Failed _ -> Optional.of(WebhookState.FAILED);
      case Standing.Missing _ -> Optional.of(WebhookState.MISSING);
      case Standing.Elsewhere _ -> Optional.of(WebhookState.ELSEWHERE);
      case Standing.Unknown _ -> Optional.empty();
    };
  }
}
