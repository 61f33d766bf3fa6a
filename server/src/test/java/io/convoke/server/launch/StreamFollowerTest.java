package io.convoke.server.launch;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What is logged of a stream that never ends without an error. */
class StreamFollowerTest {
  private static final String NAME = "stream-that-breaks";

  private final ListAppender<ILoggingEvent> log = new ListAppender<>();

  @BeforeEach
  void openLog() {
    log.start();
    logger().addAppender(log);
  }

  @AfterEach
  void closeLog() {
    boolean _ = logger().detachAppender(log);
  }

  private static Logger logger() {
    return (Logger) LoggerFactory.getLogger(StreamFollower.class);
  }

  @Test
  void aStreamThatLastedIsLoggedAgainWhenItBreaksAndOneThatDoesNotOpenIsNot() throws Exception {
    AtomicInteger opened = new AtomicInteger();
    AtomicLong nanoTime = new AtomicLong();
    CountDownLatch fourth = new CountDownLatch(1);
    try (StreamFollower follower =
        new StreamFollower(
            NAME,
            () -> {
              int time = opened.incrementAndGet();
              // The others are openings without an answer.
              Duration lasted = time == 3 ? Duration.ofHours(1) : Duration.ofSeconds(20);
              long _ = nanoTime.addAndGet(lasted.toNanos());
              if (time == 4) {
                fourth.countDown();
              }
              throw new IOException("break " + time);
            },
            nanoTime::get)) {
      follower.start();
      assertThat(fourth.await(30, TimeUnit.SECONDS)).isTrue();
    }
    closeLog();
    assertThat(log.list)
        .extracting(ILoggingEvent::getFormattedMessage)
        .filteredOn(line -> line.startsWith(NAME))
        .containsExactly(
            NAME + " interrupted; reopening: java.io.IOException: break 1",
            NAME + " interrupted; reopening: java.io.IOException: break 3");
  }
}
