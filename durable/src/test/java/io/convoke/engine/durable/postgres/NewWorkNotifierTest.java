package io.convoke.engine.durable.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.convoke.engine.sql.DatabaseUrl;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class NewWorkNotifierTest {
  private final Logger logger = (Logger) LoggerFactory.getLogger(NewWorkNotifier.class);
  private final BlockingQueue<ILoggingEvent> told = new LinkedBlockingQueue<>();
  private final AppenderBase<ILoggingEvent> log =
      new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
          boolean _ = told.add(event);
        }
      };

  @BeforeEach
  void listen() {
    log.start();
    logger.setLevel(Level.DEBUG);
    logger.setAdditive(false);
    logger.addAppender(log);
  }

  @AfterEach
  void stop() {
    boolean _ = logger.detachAppender(log);
    logger.setAdditive(true);
    logger.setLevel(null);
  }

  /** A minute without Postgres was three hundred lines of each node. */
  @Test
  void anOutageIsLoggedOnce() throws InterruptedException {
    List<Level> levels = new ArrayList<>();
    try (NewWorkNotifier newWorkNotifier =
        new NewWorkNotifier(DatabaseUrl.parse("postgresql://localhost:1/none"))) {
      newWorkNotifier.start(List::of);
      for (int i = 0; i < 3; i++) {
        ILoggingEvent event = told.take();
        assertThat(event.getFormattedMessage()).startsWith("no connection for notifications");
        levels.add(event.getLevel());
      }
    }
    assertThat(levels).containsExactly(Level.INFO, Level.DEBUG, Level.DEBUG);
  }
}
