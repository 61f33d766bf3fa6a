package io.convoke.bench.durable;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import io.convoke.bench.BenchSettings;
import java.util.List;
import org.slf4j.LoggerFactory;

/** The Java libraries by name, so that another process opens the same one. */
final class JavaQueueLibraries {
  private static final List<String> ALL =
      List.of(
          DbSchedulerQueue.NAME,
          JobRunrQueue.NAME,
          DbosQueue.NAME,
          ConvokeQueue.POLLING,
          ConvokeQueue.NAME);

  private static final List<String> LOUD =
      List.of(
          "com.github.kagkarlsson",
          "com.zaxxer.hikari.pool.ProxyConnection",
          "dev.dbos",
          "org.jobrunr");

  private JavaQueueLibraries() {}

  /** JobRunr polls each 5 s: too slow for a slice that must end in seconds. */
  static List<String> of(BenchSettings settings) {
    return settings.rounds() < 3
        ? ALL.stream().filter(name -> !name.equals(JobRunrQueue.NAME)).toList()
        : ALL;
  }

  /** They log errors about being stopped while there is work. */
  static void quiet() {
    if (LoggerFactory.getILoggerFactory() instanceof LoggerContext logs) {
      LOUD.forEach(name -> logs.getLogger(name).setLevel(Level.OFF));
    }
  }

  static JavaQueueLibrary open(String name, String url) throws Exception {
    quiet();
    return switch (name) {
      case DbSchedulerQueue.NAME -> new DbSchedulerQueue(url);
      case JobRunrQueue.NAME -> new JobRunrQueue(url);
      case DbosQueue.NAME -> new DbosQueue(url);
      case ConvokeQueue.NAME -> new ConvokeQueue(url);
      case PostgresNotifyBaseline.NAME -> new PostgresNotifyBaseline(url);
      case ConvokeQueue.POLLING -> ConvokeQueue.polling(url);
      default -> throw new IllegalArgumentException("no library " + name);
    };
  }
}
