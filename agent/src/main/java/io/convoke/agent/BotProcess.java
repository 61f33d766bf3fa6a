package io.convoke.agent;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A bot as a process: reads {@code BOT_CONFIG}, runs, and leaves the meeting in order on SIGTERM.
 */
public final class BotProcess {
  private static final long GOODBYE_MAX_S = 9;

  private BotProcess() {}

  /**
   * Runs a bot to its end and ends the process with its exit code. SIGTERM makes it leave first.
   */
  public static void run(Bot bot) {
    BotRunner runner;
    try {
      String json = System.getenv("BOT_CONFIG");
      if (json == null) {
        throw new IllegalArgumentException("BOT_CONFIG is missing");
      }
      runner = new BotRunner(BotConfig.parse(json), bot, RetryPolicy.DEFAULT);
    } catch (IllegalArgumentException e) {
      System.err.println("bot: " + e.getMessage());
      System.exit(ExitCode.BAD_CONFIG.code());
      return;
    }
    CountDownLatch over = new CountDownLatch(1);
    AtomicInteger code = new AtomicInteger(ExitCode.CRASHED.code());
    Runtime.getRuntime()
        .addShutdownHook(new Thread(() -> leaveFirst(runner, over, code), "shutdown"));
    try {
      code.set(runner.run().code());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      over.countDown();
    }
    System.exit(code.get());
  }

  /**
   * The exit code of a process that ends by a signal is the signal's, unless we end it ourselves.
   */
  private static void leaveFirst(BotRunner runner, CountDownLatch over, AtomicInteger code) {
    runner.terminate();
    try {
      if (over.await(GOODBYE_MAX_S, TimeUnit.SECONDS)) {
        Runtime.getRuntime().halt(code.get());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
