package io.convoke.bench.dispatch;

import io.convoke.bench.child.Watched;
import java.io.IOException;
import java.time.Duration;

/**
 * BullMQ (6.7, MIT): a process that adds in bulks of 50, eight at once, and a process with a worker
 * that runs 100 jobs at once; a job that has ended is removed, which is the least that it can do.
 */
final class BullMqLine implements Line {
  private static final Duration ANSWER_MAX = Duration.ofSeconds(90);
  private static final int CONCURRENCY = 100;

  private final Watched producer;
  private final Watched worker;

  BullMqLine(BullMq programs, String url) throws Exception {
    this.producer = programs.producer(url);
    this.worker = programs.workers(url, 1, CONCURRENCY);
  }

  @Override
  public String name() {
    return BullMq.NAME;
  }

  @Override
  public Lived lives(Duration span) throws Exception {
    ok(ask(worker, "reset"));
    long begun = System.nanoTime();
    String added = ask(producer, "enqueue " + span.toMillis() + " " + BACKLOG);
    long end = Long.parseLong(ask(worker, "done " + added));
    return new Lived(Long.parseLong(added), Duration.ofNanos(end - begun));
  }

  static String ask(Watched process, String line) throws Exception {
    process.tell(line);
    return process.next(ANSWER_MAX);
  }

  static void ok(String answer) throws IOException {
    if (!answer.equals("ok")) {
      throw new IOException("BullMQ's program said " + answer);
    }
  }

  @Override
  public void close() {
    producer.close();
    worker.close();
  }
}
