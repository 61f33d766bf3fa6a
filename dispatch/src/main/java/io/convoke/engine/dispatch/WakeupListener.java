package io.convoke.engine.dispatch;

import io.convoke.engine.redis.Redis;
import io.convoke.engine.redis.RedisUnavailable;
import io.convoke.engine.wake.BackgroundLoop;
import io.convoke.engine.wake.Waiter;
import io.lettuce.core.KeyValue;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Waits for wake-up tokens with BLPOP on its own connection. Redis hands a token to the connection
 * that has waited longest, so one token wakes one of many, and waiting costs nothing.
 */
final class WakeupListener implements AutoCloseable {
  private static final Duration AGAIN = Duration.ofMillis(500);

  private final Redis redis;
  private final KeySpace keySpace;
  private final Duration waitMax;
  private final Supplier<String[]> lists;
  private final WakeupCallback wakeupCallback;
  private final BiConsumer<String, String> tokenHandler;
  private final Runnable onIdle;
  private final Waiter waiter = new Waiter();
  private final BackgroundLoop thread;
  private volatile @Nullable StatefulRedisConnection<String, String> connection;
  private volatile boolean closed;

  /** Handles a token on the connection's thread, so it must not block. */
  @FunctionalInterface
  interface WakeupCallback {
    /** Returns when the next token may be awaited. */
    CompletionStage<?> onToken(String list, String token);
  }

  /**
   * Starts listening.
   *
   * @param keySpace of the lists
   * @param lists keys to wait for, read before each wait
   * @param wakeupCallback receives each token first, without a switch of threads
   * @param tokenHandler receives the list and the token; it may block
   * @param onIdle runs after each connect, and when no token came for {@code waitMax}
   */
  WakeupListener(
      Redis redis,
      KeySpace keySpace,
      String name,
      Duration waitMax,
      Supplier<String[]> lists,
      WakeupCallback wakeupCallback,
      BiConsumer<String, String> tokenHandler,
      Runnable onIdle) {
    this.redis = redis;
    this.keySpace = keySpace;
    this.waitMax = waitMax;
    this.lists = lists;
    this.wakeupCallback = wakeupCallback;
    this.tokenHandler = tokenHandler;
    this.onIdle = onIdle;
    this.thread = BackgroundLoop.start(name, this::listen);
  }

  @Override
  public void close() {
    closed = true;
    waiter.close();
    StatefulRedisConnection<String, String> current = connection;
    if (current != null) {
      var _ = current.closeAsync();
    }
    thread.close();
  }

  private void listen() throws InterruptedException {
    try (StatefulRedisConnection<String, String> own =
        redis.dedicated(keySpace.prefix(), waitMax)) {
      connection = own;
      onIdle.run();
      while (!closed) {
        @Nullable KeyValue<String, String> token =
            await(own.async().blpop(waitMax.toMillis() / 1000.0, lists.get()));
        if (token == null) {
          onIdle.run();
        } else {
          tokenHandler.accept(token.getKey(), token.getValue());
        }
      }
    } catch (RedisUnavailable | RedisException | CancellationException e) {
      boolean _ = waiter.await(AGAIN);
    } finally {
      connection = null;
    }
  }

  private @Nullable KeyValue<String, String> await(CompletionStage<KeyValue<String, String>> popped)
      throws InterruptedException {
    CompletableFuture<@Nullable KeyValue<String, String>> token = new CompletableFuture<>();
    var _ =
        popped.whenComplete(
            (value, error) -> {
              if (error != null) {
                boolean _ = token.completeExceptionally(error);
              } else if (value == null) {
                boolean _ = token.complete(null);
              } else {
                var _ =
                    wakeupCallback
                        .onToken(value.getKey(), value.getValue())
                        .whenComplete((done, failure) -> token.complete(value));
              }
            });
    try {
      return token.get();
    } catch (ExecutionException e) {
      // A broken connection fails with an exception of the network library.
      throw e.getCause() instanceof RuntimeException cause ? cause : new RedisException(e);
    }
  }
}
