package io.convoke.server.presence;

import io.convoke.engine.redis.Redis;
import io.convoke.server.loop.PeriodicTask;
import io.convoke.server.platform.WebhookRegistration;
import io.convoke.server.platform.WebhookRegistration.WebhookRegistrationState;
import io.lettuce.core.SetArgs;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the webhook registered at the platform: creates it when missing, enables it again when the
 * platform disabled it, and records its state. One node checks at a time; repeated repairs back
 * off.
 */
final class WebhookRegistrar implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(WebhookRegistrar.class);

  /** Time between two checks while meetings are live. */
  static final Duration LIVE = Duration.ofMinutes(1);

  /** Time between two checks while no meeting is live. */
  static final Duration IDLE = Duration.ofMinutes(5);

  private static final Duration RETRY = Duration.ofSeconds(5);
  private static final Duration LONGEST = Duration.ofMinutes(10);

  /** How much earlier than its holder's next check a lock expires. */
  private static final Duration EARLY = Duration.ofMillis(500);

  private final Redis redis;
  private final PlatformKeys keys;
  private final WebhookRegistration remote;
  private final WebhookHealth health;
  private final PresenceMetrics meters;
  private final BooleanSupplier live;
  private final PeriodicTask task =
      new PeriodicTask("presence-webhook", this::usual, this::checkIfDue);

  /** Consecutive checks that did not find it active. */
  private int struggles;

  WebhookRegistrar(
      Redis redis,
      PlatformKeys keys,
      WebhookRegistration remote,
      WebhookHealth health,
      PresenceMetrics meters,
      BooleanSupplier live) {
    this.redis = redis;
    this.keys = keys;
    this.remote = remote;
    this.health = health;
    this.meters = meters;
    this.live = live;
  }

  /** Checks at once after a reconnect to Redis, unless another node did. */
  void resume() {
    task.wake();
  }

  void start() {
    task.start();
  }

  @Override
  public void close() {
    task.close();
  }

  /** Checks unless another node did; returns the wait until the next try. */
  Duration checkIfDue() {
    if (!locked()) {
      return usual();
    }
    Duration next = checkOnce();
    boolean _ =
        redis.call(
            commands ->
                commands.pexpire(keys.of(PresenceKeys.WEBHOOK_LOCK), next.minus(EARLY).toMillis()));
    return next;
  }

  /** Checks and repairs the registration; returns the wait until the next check. */
  synchronized Duration checkOnce() {
    meters.recordWebhookCheck("checked");
    WebhookRegistrationState seen = remote.check();
    state(seen).ifPresent(health::recordCheck);
    return switch (seen) {
      case WebhookRegistrationState.RegistrationActive _ -> {
        struggles = 0;
        yield usual();
      }
      case WebhookRegistrationState.RegisteredElsewhere _ -> usual();
      case WebhookRegistrationState.RegistrationUnknown registrationUnknown -> {
        log.info(
            "State of the webhook registration is unknown ({})",
            registrationUnknown.outage().cause());
        yield usual();
      }
      case WebhookRegistrationState.RegistrationDisabled _,
          WebhookRegistrationState.RegistrationDiffers _,
          WebhookRegistrationState.RegistrationMissing _ ->
          mend(seen);
    };
  }

  private Duration mend(WebhookRegistrationState seen) {
    WebhookRegistrationState after = remote.repair(seen);
    state(after).ifPresent(health::recordCheck);
    int before = struggles++;
    if (after instanceof WebhookRegistrationState.RegistrationActive) {
      meters.recordWebhookCheck("repaired");
      return doubled(usual(), before);
    }
    meters.recordWebhookCheck("refused");
    log.warn("Webhook registration failed ({}); retrying", after);
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
                        keys.of(PresenceKeys.WEBHOOK_LOCK),
                        "1",
                        SetArgs.Builder.nx().px(LIVE.minus(EARLY).toMillis()))));
  }

  /** The webhook state that follows from a check; empty when unknown. */
  private static Optional<WebhookState> state(WebhookRegistrationState webhookRegistrationState) {
    return switch (webhookRegistrationState) {
      case WebhookRegistrationState.RegistrationActive _,
          WebhookRegistrationState.RegistrationDiffers _ ->
          Optional.of(WebhookState.ACTIVE);
      case WebhookRegistrationState.RegistrationDisabled _ -> Optional.of(WebhookState.FAILED);
      case WebhookRegistrationState.RegistrationMissing _ -> Optional.of(WebhookState.MISSING);
      case WebhookRegistrationState.RegisteredElsewhere _ -> Optional.of(WebhookState.ELSEWHERE);
      case WebhookRegistrationState.RegistrationUnknown _ -> Optional.empty();
    };
  }
}
