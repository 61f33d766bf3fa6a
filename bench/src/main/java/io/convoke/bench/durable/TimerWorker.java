package io.convoke.bench.durable;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.convoke.bench.child.JavaChild;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import org.slf4j.LoggerFactory;

/**
 * The node whose timers are watched: for each item that says {@code due MICROS} it says {@code
 * MICROS LATE}, both in microseconds of the clock that Postgres on this machine reads too.
 */
final class TimerWorker {
  static final String DUE = "due ";

  private TimerWorker() {}

  public static void main(String[] arguments) throws Exception {
    ((Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME)).setLevel(Level.ERROR);
    String url = Optional.ofNullable(System.getenv("DATABASE_URL")).orElseThrow();
    try (Convoke convoke = new Convoke(url);
        Workers _ = convoke.workers(64, TimerWorker::begun)) {
      JavaChild.say("ready");
      int _ = System.in.read();
    }
  }

  private static void begun(String payload) {
    if (payload.startsWith(DUE)) {
      long due = Long.parseLong(payload.substring(DUE.length()));
      JavaChild.say(due + " " + (micros(Instant.now()) - due));
    }
  }

  static long micros(Instant instant) {
    return ChronoUnit.MICROS.between(Instant.EPOCH, instant);
  }
}
