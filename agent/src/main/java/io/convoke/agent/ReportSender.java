package io.convoke.agent;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends reports of one kind in small batches, in order, in the background, with retries: transcript
 * segments, or messages of the chat. Beyond {@link #WAITING_MAX} that wait the newest is dropped,
 * with a warning.
 */
final class ReportSender<T> {
  private static final Logger log = LoggerFactory.getLogger(ReportSender.class);
  private static final int WAITING_MAX = 5000;
  private static final int GROUP_MAX = 100;
  private static final Duration GATHER = Duration.ofMillis(300);

  private final String name;
  private final ReportCall<T> call;
  private final LinkedBlockingQueue<T> waiting = new LinkedBlockingQueue<>(WAITING_MAX);
  private final CountDownLatch finishing = new CountDownLatch(1);
  private final Thread sender;

  /** The callback that takes a batch. */
  @FunctionalInterface
  interface ReportCall<T> {
    CallbackReply send(List<T> batch) throws InterruptedException;
  }

  /** {@code name} tells what is sent. */
  ReportSender(String name, ReportCall<T> call) {
    this.name = name;
    this.call = call;
    this.sender = Thread.ofVirtual().name(name).unstarted(this::run);
  }

  void start() {
    sender.start();
  }

  void add(List<T> reports) {
    for (T report : reports) {
      if (!waiting.offer(report)) {
        log.warn("one of {} dropped: the send queue is full", name);
      }
    }
  }

  /** Nothing more comes: it ends when it has sent what waits. */
  void end() {
    finishing.countDown();
  }

  /** Sends what waits, at most as long as given. */
  void finish(Duration atMost) throws InterruptedException {
    end();
    if (!waiting.isEmpty() || sender.isAlive()) {
      boolean _ = sender.join(atMost);
    }
    sender.interrupt();
  }

  private void run() {
    try {
      while (finishing.getCount() > 0 || !waiting.isEmpty()) {
        T first = waiting.poll(GATHER.toMillis(), TimeUnit.MILLISECONDS);
        if (first != null) {
          List<T> group = new ArrayList<>();
          group.add(first);
          boolean _ = finishing.await(GATHER.toMillis(), TimeUnit.MILLISECONDS);
          int _ = waiting.drainTo(group, GROUP_MAX - 1);
          send(group);
        }
      }
    } catch (InterruptedException e) {
      if (!waiting.isEmpty()) {
        log.warn("{} of {} were not sent", waiting.size(), name);
      }
    }
  }

  private void send(List<T> group) throws InterruptedException {
    boolean silent = true;
    while (silent) {
      silent = call.send(group) instanceof CallbackReply.NoReply;
    }
  }
}
