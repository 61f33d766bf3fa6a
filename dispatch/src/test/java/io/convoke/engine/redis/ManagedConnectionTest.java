package io.convoke.engine.redis;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.api.StatefulRedisConnection;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Connections that come late, as where a name server does not answer, or not at all. */
class ManagedConnectionTest {
  private final BlockingQueue<CompletableFuture<StatefulRedisConnection<String, String>>> attempts =
      new LinkedBlockingQueue<>();
  private final CountDownLatch closed = new CountDownLatch(1);

  @Tag("nightly")
  @Test
  void aConnectionThatComesAfterTheNextAttemptHasBegunIsClosed() throws InterruptedException {
    try (ManagedConnection<StatefulRedisConnection<String, String>> _ = managed()) {
      CompletableFuture<StatefulRedisConnection<String, String>> first = attempts.take();
      assertThat(attempts.take()).isNotSameAs(first);
      boolean _ = first.complete(connection());
      assertThat(closed.await(20, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void aConnectionThatComesAfterTheEndIsClosed() throws InterruptedException {
    ManagedConnection<StatefulRedisConnection<String, String>> managed = managed();
    CompletableFuture<StatefulRedisConnection<String, String>> attempt = attempts.take();
    managed.close();
    boolean _ = attempt.complete(connection());
    assertThat(closed.await(20, TimeUnit.SECONDS)).isTrue();
  }

  /** A pod with a wrong password or address says nothing else. */
  @Test
  void anOutageIsLoggedOnceWithItsReason() throws InterruptedException {
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    log.start();
    Logger logger = (Logger) LoggerFactory.getLogger(ManagedConnection.class);
    Level level = logger.getEffectiveLevel();
    logger.setLevel(Level.WARN);
    logger.addAppender(log);
    try (ManagedConnection<StatefulRedisConnection<String, String>> _ = managed()) {
      for (int i = 0; i < 2; i++) {
        boolean _ =
            attempts
                .take()
                .completeExceptionally(
                    new RedisConnectionException(
                        "Unable to connect to redis:6379", new IllegalStateException("NOAUTH")));
      }
      assertThat(attempts.take()).isNotDone();
    } finally {
      boolean _ = logger.detachAppender(log);
      logger.setLevel(level);
    }
    assertThat(log.list)
        .extracting(ILoggingEvent::getFormattedMessage)
        .filteredOn(message -> message.contains("Unable to connect to redis:6379: NOAUTH"))
        .hasSize(1);
  }

  private ManagedConnection<StatefulRedisConnection<String, String>> managed() {
    return new ManagedConnection<StatefulRedisConnection<String, String>>(
            "test",
            Duration.ofMinutes(1),
            () -> {
              CompletableFuture<StatefulRedisConnection<String, String>> attempt =
                  new CompletableFuture<>();
              boolean _ = attempts.add(attempt);
              return attempt;
            },
            _ -> {},
            () -> {})
        .start();
  }

  @SuppressWarnings("unchecked") // a proxy has no type arguments
  private StatefulRedisConnection<String, String> connection() {
    return (StatefulRedisConnection<String, String>)
        Proxy.newProxyInstance(
            ManagedConnectionTest.class.getClassLoader(),
            new Class<?>[] {StatefulRedisConnection.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "isOpen" -> true;
                  case "closeAsync" -> {
                    closed.countDown();
                    yield new CompletableFuture<Void>();
                  }
                  default -> null;
                });
  }
}
