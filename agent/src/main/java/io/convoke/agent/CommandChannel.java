package io.convoke.agent;

import io.convoke.engine.json.Json;
import io.convoke.engine.redis.Redis;
import io.convoke.engine.redis.RedisUnavailable;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;

/**
 * Subscribes to {@code bot_commands:{connection_id}}. It only makes commands arrive sooner, so an
 * unreachable Redis is no failure: it resubscribes in the background, and after each reconnect a
 * heartbeat fetches missed commands.
 */
final class CommandChannel implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(CommandChannel.class);
  private static final long RETRY_MS = 2000;

  private final String url;
  private final String channel;
  private final CommandInbox inbox;
  private final Runnable catchUp;
  private final CountDownLatch closing = new CountDownLatch(1);
  private volatile @Nullable Redis redis;

  CommandChannel(String url, String channel, CommandInbox inbox, Runnable catchUp) {
    this.url = url;
    this.channel = channel;
    this.inbox = inbox;
    this.catchUp = catchUp;
  }

  void open() {
    var _ = Thread.ofVirtual().name("commands").start(this::subscribe);
  }

  @Override
  public void close() {
    closing.countDown();
    Redis open = redis;
    if (open != null) {
      open.close();
    }
  }

  private void subscribe() {
    try {
      Redis fresh = Redis.open(url);
      redis = fresh;
      fresh.onConnect(catchUp);
      while (!subscribed(fresh)) {
        if (closing.await(RETRY_MS, TimeUnit.MILLISECONDS)) {
          return;
        }
      }
      catchUp.run();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IllegalArgumentException e) {
      log.warn("Invalid Redis URL; command channel disabled");
    }
  }

  private boolean subscribed(Redis fresh) {
    try {
      AutoCloseable _ = fresh.subscribe(channel, this::received);
      return true;
    } catch (RedisUnavailable e) {
      log.debug("Redis unreachable; commands arrive with callback replies only");
      return false;
    }
  }

  private void received(String message) {
    try {
      Optional<BotCommand> command = BotCommand.of(Json.read(message));
      command.ifPresent(inbox::offer);
    } catch (JacksonException e) {
      log.warn("a message on the command channel is not JSON");
    }
  }
}
