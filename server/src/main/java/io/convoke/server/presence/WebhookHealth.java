package io.convoke.server.presence;

import io.convoke.engine.journal.Journal;
import io.convoke.engine.journal.NewJournalEvent;
import io.convoke.engine.redis.LuaScript;
import io.convoke.engine.redis.Redis;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Tx;
import io.lettuce.core.KeyValue;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Health of incoming webhooks, for the whole fleet: the registration's state at the platform, and
 * which source found the changes of the last minutes. While webhooks are unhealthy, ticks are more
 * frequent, if the rate limit allows. Each change of the state is journaled and logged.
 */
final class WebhookHealth {
  private static final Logger log = LoggerFactory.getLogger(WebhookHealth.class);
  private static final LuaScript TICK_CLAIM =
      LuaScript.resource(WebhookHealth.class, "tick_claim.lua");
  private static final LuaScript TICK_DONE =
      LuaScript.resource(WebhookHealth.class, "tick_done.lua");
  private static final String TYPE = "webhook.state_changed";

  /** Changes are counted over the running window and the one before it. */
  private static final Duration WINDOW = Duration.ofMinutes(5);

  /** From this many changes found by the timer alone, webhooks count as silent. */
  static final int SUSPICIOUS = 3;

  private final Redis redis;
  private final PlatformKeys keys;
  private final Database database;
  private final Journal journal;
  private final PresenceMetrics meters;
  private final PresenceTestSignals signals;
  private final ApiBudget budget;
  private final int suspicious;

  /** {@code expected} is false if webhooks cannot arrive; they then never count as silent. */
  WebhookHealth(
      Redis redis,
      Database database,
      Journal journal,
      PresenceMetrics meters,
      PresenceTestSignals signals,
      ApiBudget budget,
      PlatformKeys keys,
      boolean expected) {
    this.redis = redis;
    this.keys = keys;
    this.database = database;
    this.journal = journal;
    this.meters = meters;
    this.signals = signals;
    this.budget = budget;
    this.suspicious = expected ? SUSPICIOUS : 0;
  }

  /**
   * Whether this node runs the tick, whether ticks are more frequent, and whether webhooks are
   * silent.
   */
  record HealthCheckTurn(boolean mine, boolean sooner, boolean silent) {}

  /** Tries to take the next tick and adds this node's change counts, in one call. */
  HealthCheckTurn turn(Duration period, Duration sooner) {
    PresenceMetrics.ChangesBySource changesBySource = meters.found();
    Object answer =
        redis.eval(
            TICK_CLAIM,
            List.of(
                keys.of(PresenceKeys.TICK_LOCK),
                keys.of(PresenceKeys.WEBHOOK),
                keys.of(PresenceKeys.FOUND),
                budget.key()),
            List.of(
                Long.toString(period.toMillis()),
                Long.toString(sooner.toMillis()),
                Long.toString(WINDOW.toMillis()),
                Long.toString(changesBySource.byWebhook()),
                Long.toString(changesBySource.byTimer()),
                Integer.toString(suspicious),
                Integer.toString(budget.rate()),
                Integer.toString(budget.burst())));
    if (!(answer instanceof List<?> said)) {
      throw new IllegalStateException("tick_claim.lua answered " + answer);
    }
    return new HealthCheckTurn(
        said.get(0).equals(1L), said.get(1).equals(1L), said.get(2).equals(1L));
  }

  /** Records a tick, and whether webhooks are silent. */
  void ticked(boolean silent) {
    Object _ = redis.eval(TICK_DONE, List.of(keys.of(PresenceKeys.LAST_TICK)), List.of());
    settle(Map.of("silent", Boolean.toString(silent)));
  }

  /** Ends the claim of a tick that failed, so that the next may begin after the wait. */
  void tickFailed(Duration retry) {
    boolean _ =
        redis.call(
            commands ->
                commands.pexpire(
                    keys.of(PresenceKeys.TICK_LOCK), retry.multipliedBy(9).dividedBy(10)));
  }

  /** Records the state of the registration at the platform. */
  void recordCheck(WebhookState remote) {
    settle(Map.of("remote", remote.text()));
  }

  private void settle(Map<String, String> news) {
    Map<String, String> known = known();
    WebhookState remote =
        WebhookState.of(news.getOrDefault("remote", known.getOrDefault("remote", "")));
    boolean silent =
        news.getOrDefault("silent", known.getOrDefault("silent", "false")).equals("true");
    WebhookState was = WebhookState.of(known.getOrDefault("state", ""));
    WebhookState is = WebhookState.of(remote, silent);
    if (news.entrySet().stream().allMatch(it -> it.getValue().equals(known.get(it.getKey())))
        && was == is) {
      return;
    }
    if (was != is) {
      report(is);
    }
    Map<String, String> fresh = new HashMap<>(news);
    fresh.put("state", is.text());
    long _ = redis.call(commands -> commands.hset(keys.of(PresenceKeys.WEBHOOK), fresh));
  }

  private Map<String, String> known() {
    return redis
        .call(
            commands -> commands.hmget(keys.of(PresenceKeys.WEBHOOK), "remote", "silent", "state"))
        .stream()
        .filter(KeyValue::hasValue)
        .collect(Collectors.toMap(KeyValue::getKey, KeyValue::getValue));
  }

  /**
   * Journals and logs the state, unless the journal already has it: Redis may have lost its copy.
   */
  private void report(WebhookState is) {
    boolean changed = database.transaction(tx -> append(tx, is));
    if (changed) {
      if (is.healthy()) {
        log.info("Webhook of {} is {}", keys.platform(), is.text());
      } else {
        log.warn("Webhook of {} is {}: {}", keys.platform(), is.text(), is.advice());
      }
      signals.webhook().emit(is);
    }
  }

  /** The data of the event. */
  record WebhookStateChanged(String platform, String from, String to, String reason) {}

  private boolean append(Tx tx, WebhookState is) {
    String subject = "webhook:" + keys.platform();
    String was =
        tx.sql(
                """
                select data ->> 'to' as state from events where type = ? and subject = ?
                order by seq desc limit 1
                """)
            .with(TYPE, subject)
            .first(resultRow -> resultRow.text("state"))
            .orElse(WebhookState.UNKNOWN.text());
    if (was.equals(is.text())) {
      return false;
    }
    journal.append(
        tx,
        List.of(
            NewJournalEvent.of(
                TYPE,
                subject,
                Optional.empty(),
                new WebhookStateChanged(keys.platform(), was, is.text(), is.advice()))));
    return true;
  }
}
