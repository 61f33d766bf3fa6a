package io.convoke.bench.durable;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.convoke.bench.process.JavaChildProcess;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import org.slf4j.LoggerFactory;

/**
 * The node with the measured timers: for each item {@code due MICROS} it prints {@code MICROS
 * LATE}, both in microseconds of the system clock, which Postgres on this machine reads too.
 */
final class TimerWorkerProcess {
  static final String DUE = "due ";

  private TimerWorkerProcess() {}

  public static void main(String[] arguments) throws Exception {
    ((Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME)).setLevel(Level.ERROR);
    String url = Optional.ofNullable(System.getenv("DATABASE_URL")).orElseThrow();
    try (ConvokeQueue convokeQueue = new ConvokeQueue(url);
        QueueWorkers _ = convokeQueue.workers(64, TimerWorkerProcess::begun)) {
      JavaChildProcess.send("ready");
      int _ = System.in.read();
    }
  }

  private static void begun(String payload) {
    if (payload.startsWith(DUE)) {
      long due = Long.parseLong(payload.substring(DUE.length()));
      JavaChildProcess.send(due + " " + (micros(Instant.now()) - due));
    }
  }

  static long micros(Instant instant) {
    return ChronoUnit.MICROS.between(Instant.EPOCH, instant);
  }
}
