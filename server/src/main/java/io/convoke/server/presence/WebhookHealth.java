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
 * Knows, for the whole fleet, whether webhooks can be relied on: what the platform says of ours,
 * and which path found the changes of the last minutes. While they cannot, ticks come sooner, as
 * far as the account's budget allows. Each change of the state is an event and a line of the log.
 */
final class WebhookHealth {
  private static final Logger log = LoggerFactory.getLogger(WebhookHealth.class);
  private static final LuaScript TURN = LuaScript.resource(WebhookHealth.class, "turn.lua");
  private static final LuaScript TICKED = LuaScript.resource(WebhookHealth.class, "ticked.lua");
  private static final String TYPE = "webhook.state_changed";

  /** Changes are counted over the running window and the one before it. */
  private static final Duration WINDOW = Duration.ofMinutes(5);

  /** So many changes that only the timer found are no accident. */
  static final int SUSPICIOUS = 3;

  private final Redis redis;
  private final Database database;
  private final Journal journal;
  private final PresenceMetrics meters;
  private final PresenceTestSignals signals;
  private final String platform;
  private final int suspicious;

  /** Without {@code expected} nothing can come by webhook, so silence means nothing. */
  WebhookHealth(
      Redis redis,
      Database database,
      Journal journal,
      PresenceMetrics meters,
      PresenceTestSignals signals,
      String platform,
      boolean expected) {
    this.redis = redis;
    this.database = database;
    this.journal = journal;
    this.meters = meters;
    this.signals = signals;
    this.platform = platform;
    this.suspicious = expected ? SUSPICIOUS : 0;
  }

  /** The answer to a node that would make a tick. */
  record HealthCheckTurn(boolean mine, boolean sooner, boolean silent) {}

  /** Asks for the turn and tells what this node found meanwhile, in one call. */
  HealthCheckTurn turn(Duration period, Duration sooner) {
    PresenceMetrics.ChangesBySource changesBySource = meters.found();
    Object answer =
        redis.eval(
            TURN,
            List.of(
                PresenceKeys.TICK_LOCK,
                PresenceKeys.WEBHOOK,
                PresenceKeys.FOUND,
                RedisRateLimiter.key(platform)),
            List.of(
                Long.toString(period.toMillis()),
                Long.toString(sooner.toMillis()),
                Long.toString(WINDOW.toMillis()),
                Long.toString(changesBySource.byWebhook()),
                Long.toString(changesBySource.byTimer()),
                Integer.toString(suspicious),
                Integer.toString(RedisRateLimiter.RATE),
                Integer.toString(RedisRateLimiter.BURST)));
    if (!(answer instanceof List<?> said)) {
      throw new IllegalStateException("turn.lua answered " + answer);
    }
    return new HealthCheckTurn(
        said.get(0).equals(1L), said.get(1).equals(1L), said.get(2).equals(1L));
  }

  /** Notes that a tick was made, and what its turn learned of the fast path. */
  void ticked(boolean silent) {
    Object _ = redis.eval(TICKED, List.of(PresenceKeys.TICKED), List.of());
    settle(Map.of("silent", Boolean.toString(silent)));
  }

  /** Notes what the platform says. */
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
      tell(is);
    }
    Map<String, String> fresh = new HashMap<>(news);
    fresh.put("state", is.text());
    long _ = redis.call(commands -> commands.hset(PresenceKeys.WEBHOOK, fresh));
  }

  private Map<String, String> known() {
    return redis
        .call(commands -> commands.hmget(PresenceKeys.WEBHOOK, "remote", "silent", "state"))
        .stream()
        .filter(KeyValue::hasValue)
        .collect(Collectors.toMap(KeyValue::getKey, KeyValue::getValue));
  }

  /** Writes the event, unless the journal says the same already: Redis may have forgotten. */
  private void tell(WebhookState is) {
    boolean told = database.transaction(tx -> append(tx, is));
    if (told) {
      if (is.healthy()) {
        log.info("the webhook of {} is {}", platform, is.text());
      } else {
        log.warn("the webhook of {} is {}: {}", platform, is.text(), is.advice());
      }
      signals.webhook().emit(is);
    }
  }

  /** The data of the event. */
  record WebhookStateChanged(String platform, String from, String to, String reason) {}

  private boolean append(Tx tx, WebhookState is) {
    String subject = "webhook:" + platform;
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
                new WebhookStateChanged(platform, was, is.text(), is.advice()))));
    return true;
  }
}
