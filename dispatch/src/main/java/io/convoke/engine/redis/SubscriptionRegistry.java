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
final class SubscriptionRegistry implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(SubscriptionRegistry.class);

  private final ManagedConnection<StatefulRedisPubSubConnection<String, String>> managedConnection;
  private final Duration commandMax;
  private final Runnable onUp;

  /** Guarded by this object, and so is the order in which commands about channels are sent. */
  private final Map<String, CopyOnWriteArrayList<Redis.MessageConsumer>> receivers =
      new HashMap<>();

  /** {@code onUp} runs whenever all channels are subscribed again. */
  SubscriptionRegistry(
      Supplier<? extends CompletionStage<StatefulRedisPubSubConnection<String, String>>> connector,
      Duration commandMax,
      Runnable onUp) {
    this.commandMax = commandMax;
    this.onUp = onUp;
    this.managedConnection =
        new ManagedConnection<>(
                "subscriptions", ManagedConnection.PULSE, connector, this::resubscribe, () -> {})
            .start();
  }

  /** Effective on return if Redis is there, else as soon as it comes. */
  Redis.Subscription add(String channel, Redis.MessageConsumer receiver) {
    RedisFuture<Void> sent;
    synchronized (this) {
      receivers.computeIfAbsent(channel, name -> new CopyOnWriteArrayList<>()).add(receiver);
    }
    // The first attempt to connect is awaited outside the lock, which resubscribe() needs.
    boolean up = awaitUp();
    synchronized (this) {
      StatefulRedisPubSubConnection<String, String> connection = managedConnection.up();
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
    managedConnection.close();
  }

  private boolean awaitUp() {
    try {
      var _ = managedConnection.get();
      return true;
    } catch (RedisUnavailable e) {
      return false;
    }
  }

  private synchronized void remove(String channel, Redis.MessageConsumer receiver) {
    List<Redis.MessageConsumer> remaining = receivers.get(channel);
    if (remaining == null || !remaining.remove(receiver) || !remaining.isEmpty()) {
      return;
    }
    receivers.remove(channel);
    StatefulRedisPubSubConnection<String, String> connection = managedConnection.up();
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
    List<Redis.MessageConsumer> all;
    synchronized (this) {
      all = List.copyOf(receivers.getOrDefault(channel, new CopyOnWriteArrayList<>()));
    }
    for (Redis.MessageConsumer receiver : all) {
      try {
        receiver.accept(message);
      } catch (RuntimeException | Error e) {
        log.error("a receiver of channel messages failed", e);
      }
    }
  }
}
