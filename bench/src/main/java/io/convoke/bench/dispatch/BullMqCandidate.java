package io.convoke.bench.dispatch;

import io.convoke.bench.process.WatchedProcess;
import java.io.IOException;
import java.time.Duration;

/**
 * BullMQ (6.7, MIT): a process that adds in bulks of 50, eight at once, and a process with a worker
 * that runs 100 jobs at once; a job that has ended is removed, which is the least that it can do.
 */
final class BullMqCandidate implements DispatchCandidate {
  private static final Duration ANSWER_MAX = Duration.ofSeconds(90);
  private static final int CONCURRENCY = 100;

  private final WatchedProcess producer;
  private final WatchedProcess worker;

  BullMqCandidate(BullMqScripts programs, String url) throws Exception {
    this.producer = programs.producer(url);
    this.worker = programs.workers(url, 1, CONCURRENCY);
  }

  @Override
  public String name() {
    return BullMqScripts.NAME;
  }

  @Override
  public DispatchTurn runTasks(Duration span) throws Exception {
    ok(ask(worker, "reset"));
    long begun = System.nanoTime();
    String added = ask(producer, "enqueue " + span.toMillis() + " " + BACKLOG);
    long end = Long.parseLong(ask(worker, "done " + added));
    return new DispatchTurn(Long.parseLong(added), Duration.ofNanos(end - begun));
  }

  static String ask(WatchedProcess process, String line) throws Exception {
    process.send(line);
    return process.next(ANSWER_MAX);
  }

  static void ok(String answer) throws IOException {
    if (!answer.equals("ok")) {
      throw new IOException("BullMQ's program printed " + answer);
    }
  }

  @Override
  public void close() {
    producer.close();
    worker.close();
  }
}
