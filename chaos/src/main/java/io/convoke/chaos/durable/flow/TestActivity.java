package io.convoke.chaos.durable.flow;

import java.time.Duration;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * An activity that books an amount for its flow, sleeps, and may then fail.
 *
 * @param number within its flow
 * @param millis how long it sleeps after booking
 * @param failures number of first attempts that fail on purpose; {@link #HANGS} if the first does
 *     not end; {@link #REFUSED}; {@link #LEFT_OPEN}
 */
public record TestActivity(String flow, int number, long amount, long millis, int failures) {
  /** Whether every attempt fails. */
  public static final int ALWAYS = Integer.MAX_VALUE;

  /** Instead of a number of failures. */
  public static final int HANGS = -1;

  /** Instead of a number of failures: an attempt that comes to its end fails for good. */
  public static final int REFUSED = -2;

  /** Instead of a number of failures: every attempt fails, without a booking. */
  public static final int LEFT_OPEN = -3;

  /** The pause after the first attempt, and by how much each is longer than the one before. */
  public static final Duration PAUSE = Duration.ofMillis(50);

  public static final double LONGER = 1.5;

  /** Before the key of a step in the log, which has attempts of activities too. */
  public static final String STEP = "step:";

  private static final int AMOUNT_MAX = 1000;
  private static final int QUICK_MS = 80;

  /**
   * Derived from the flow's salt: most are quick, one in ten takes seconds, one in six fails at
   * first.
   */
  static TestActivity of(TestFlow testFlow, int number) {
    SplittableRandom random = new SplittableRandom(testFlow.salt() * 1000L + number);
    int amount = 1 + random.nextInt(AMOUNT_MAX);
    boolean slow = random.nextInt(10) == 0;
    int millis = slow ? 700 + random.nextInt(2000) : random.nextInt(QUICK_MS);
    int luck = random.nextInt(18);
    return new TestActivity(
        testFlow.id(), number, amount, millis, luck == 0 ? 2 : luck < 3 ? 1 : 0);
  }

  /**
   * From the begin of an attempt that fails by plan to the begin of the next at the earliest; empty
   * where the attempt may have ended otherwise, since it is slow.
   */
  public Optional<Duration> untilNext(int attempt) {
    return attempt <= failures && failures != ALWAYS && millis <= QUICK_MS
        ? Optional.of(
            Duration.ofMillis(
                millis + Math.round(PAUSE.toMillis() * Math.pow(LONGER, attempt - 1.0))))
        : Optional.empty();
  }

  /** By which it is known in the log when it is a step in place. */
  public String stepKey() {
    return STEP + flow + "/" + number;
  }

  TestActivity failingAlways() {
    return new TestActivity(flow, number, amount, Math.min(millis, QUICK_MS), ALWAYS);
  }

  TestActivity hanging() {
    return new TestActivity(flow, number, amount, Math.min(millis, QUICK_MS), HANGS);
  }

  TestActivity refused() {
    return new TestActivity(flow, number, amount, Math.min(millis, QUICK_MS), REFUSED);
  }

  TestActivity leftOpen() {
    return new TestActivity(flow, number, amount, Math.min(millis, QUICK_MS), LEFT_OPEN);
  }

  TestActivity lasting(long time) {
    return new TestActivity(flow, number, amount, time, failures);
  }

  TestActivity succeedingAfter(long time) {
    return new TestActivity(flow, number, amount, time, 0);
  }

  TestActivity failingOnceAfter(long time) {
    return new TestActivity(flow, number, amount, time, 1);
  }

  TestActivity undoing(TestActivity other) {
    return new TestActivity(flow, number, -other.amount, millis, failures);
  }
}
