package io.convoke.engine.redis;

import io.lettuce.core.RedisFuture;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** All channels that a process listens to, on one link; subscribed again after each connect. */
final class Subscriptions implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Subscriptions.class);

  private final Link<StatefulRedisPubSubConnection<String, String>> link;
  private final Duration commandMax;
  private final Runnable onUp;

  /** Guarded by this object, and so is the order in which commands about channels are sent. */
  private final Map<String, CopyOnWriteArrayList<Redis.Consumer>> receivers = new HashMap<>();

  /** {@code onUp} runs whenever all channels are subscribed again. */
  Subscriptions(
      Supplier<? extends CompletionStage<StatefulRedisPubSubConnection<String, String>>> connector,
      Duration commandMax,
      Runnable onUp) {
    this.commandMax = commandMax;
    this.onUp = onUp;
    this.link =
        new Link<>("subscriptions", Link.PULSE, connector, this::resubscribe, () -> {}).start();
  }

  /** Effective on return if Redis is there, else as soon as it comes. */
  Redis.Subscription add(String channel, Redis.Consumer receiver) {
    RedisFuture<Void> sent;
    synchronized (this) {
      receivers.computeIfAbsent(channel, name -> new CopyOnWriteArrayList<>()).add(receiver);
    }
    // The first attempt to connect is awaited outside the lock, which resubscribe() needs.
    boolean up = awaitUp();
    synchronized (this) {
      StatefulRedisPubSubConnection<String, String> connection = link.up();
      if (!up || connection == null) {
        return () -> remove(channel, receiver);
      }
      sent = connection.async().subscribe(channel);
    }
    // A failure is not the caller's: the link then breaks, and subscribes again when it is back.
    if (!await(sent)) {
      log.debug("a subscription is not confirmed yet");
    }
    return () -> remove(channel, receiver);
  }

  @Override
  public void close() {
    link.close();
  }

  private boolean awaitUp() {
    try {
      var _ = link.get();
      return true;
    } catch (RedisUnavailable e) {
      return false;
    }
  }

  private synchronized void remove(String channel, Redis.Consumer receiver) {
    List<Redis.Consumer> remaining = receivers.get(channel);
    if (remaining == null || !remaining.remove(receiver) || !remaining.isEmpty()) {
      return;
    }
    receivers.remove(channel);
    StatefulRedisPubSubConnection<String, String> connection = link.up();
    if (connection != null) {
      var _ = connection.async().unsubscribe(channel);
    }
  }

  private void resubscribe(StatefulRedisPubSubConnection<String, String> connection) {
    connection.addListener(
        new RedisPubSubAdapter<>() {
          @Override
          public void message(String channel, String message) {
            deliver(channel, message);
          }
        });
    @Nullable RedisFuture<Void> sent = null;
    synchronized (this) {
      if (!receivers.isEmpty()) {
        sent = connection.async().subscribe(receivers.keySet().toArray(String[]::new));
      }
    }
    if (sent != null && !await(sent)) {
      throw new RedisUnavailable(null);
    }
    onUp.run();
  }

  private boolean await(RedisFuture<Void> sent) {
    try {
      return sent.await(commandMax.toMillis(), TimeUnit.MILLISECONDS) && sent.getError() == null;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private void deliver(String channel, String message) {
    List<Redis.Consumer> all;
    synchronized (this) {
      all = List.copyOf(receivers.getOrDefault(channel, new CopyOnWriteArrayList<>()));
    }
    for (Redis.Consumer receiver : all) {
      try {
        receiver.accept(message);
      } catch (RuntimeException | Error e) {
        log.error("a receiver of channel messages failed", e);
      }
    }
  }
}
