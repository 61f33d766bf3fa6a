package io.convoke.agent;

import io.convoke.engine.json.Json;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends reports of one kind in small batches, in order, in the background, with retries: transcript
 * segments, or messages of the chat. Beyond {@link #WAITING_MAX} that wait the newest is dropped,
 * with a warning.
 */
final class ReportSender<T> implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ReportSender.class);
  private static final int WAITING_MAX = 5000;
  private static final int GROUP_MAX = 100;

  /** Half of what the control plane takes in one call. */
  private static final int GROUP_BYTES_MAX = 512 << 10;

  private static final Duration GATHER = Duration.ofMillis(300);

  private final String name;
  private final ReportCall<T> call;
  private final Function<T, Map<String, Object>> json;
  private final LinkedBlockingQueue<T> waiting = new LinkedBlockingQueue<>(WAITING_MAX);

  /** Reports that wait, or whose call has no answer yet. */
  private final AtomicInteger unanswered = new AtomicInteger();

  private final CountDownLatch finishing = new CountDownLatch(1);
  private final Thread sender;

  /** The callback that takes a batch. */
  @FunctionalInterface
  interface ReportCall<T> {
    CallbackReply send(List<T> batch) throws InterruptedException;
  }

  /** {@code name} tells what is sent, {@code json} in which form. */
  ReportSender(String name, ReportCall<T> call, Function<T, Map<String, Object>> json) {
    this.name = name;
    this.call = call;
    this.json = json;
    this.sender = Thread.ofVirtual().name(name).unstarted(this::run);
  }

  void start() {
    sender.start();
  }

  void add(List<T> reports) {
    for (T report : reports) {
      if (!waiting.offer(report)) {
        log.warn("one of {} dropped: the send queue is full", name);
      } else {
        int _ = unanswered.incrementAndGet();
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
    int left = unanswered.get();
    if (left > 0) {
      log.warn("{} of {} were not sent", left, name);
    }
    close();
  }

  /** Sends nothing more. */
  @Override
  public void close() {
    sender.interrupt();
  }

  private void run() {
    try {
      while (finishing.getCount() > 0 || !waiting.isEmpty()) {
        T first = waiting.poll(GATHER.toMillis(), TimeUnit.MILLISECONDS);
        if (first != null) {
          boolean _ = finishing.await(GATHER.toMillis(), TimeUnit.MILLISECONDS);
          List<T> group = group(first);
          send(group);
          int _ = unanswered.addAndGet(-group.size());
        }
      }
    } catch (InterruptedException e) {
      log.trace("no more {} are sent", name);
    }
  }

  /** This report and those behind it that one call may hold. */
  private List<T> group(T first) {
    List<T> group = new ArrayList<>();
    group.add(first);
    int bytes = bytes(first);
    T next = waiting.peek();
    while (next != null && group.size() < GROUP_MAX) {
      bytes += bytes(next);
      if (bytes > GROUP_BYTES_MAX) {
        return group;
      }
      group.add(waiting.remove());
      next = waiting.peek();
    }
    return group;
  }

  private int bytes(T report) {
    return Json.bytes(json.apply(report)).length;
  }

  private void send(List<T> group) throws InterruptedException {
    boolean silent = true;
    while (silent) {
      silent = call.send(group) instanceof CallbackReply.NoReply;
    }
  }
}
