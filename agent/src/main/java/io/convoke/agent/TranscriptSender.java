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
 * Sends transcript segments in small batches, in order, in the background, with retries. Beyond
 * {@link #WAITING_MAX} waiting segments the newest is dropped, with a warning.
 */
final class TranscriptSender {
  private static final Logger log = LoggerFactory.getLogger(TranscriptSender.class);
  private static final int WAITING_MAX = 5000;
  private static final int GROUP_MAX = 100;
  private static final Duration GATHER = Duration.ofMillis(300);

  private final CallbackClient callbackClient;
  private final LinkedBlockingQueue<TranscriptSegment> waiting =
      new LinkedBlockingQueue<>(WAITING_MAX);
  private final CountDownLatch finishing = new CountDownLatch(1);
  private final Thread sender;

  TranscriptSender(CallbackClient callbackClient) {
    this.callbackClient = callbackClient;
    this.sender = Thread.ofVirtual().name("transcript").unstarted(this::run);
  }

  void start() {
    sender.start();
  }

  void add(List<TranscriptSegment> segments) {
    for (TranscriptSegment transcriptSegment : segments) {
      if (!waiting.offer(transcriptSegment)) {
        log.warn("Transcript segment dropped: the send queue is full");
      }
    }
  }

  /** Sends what waits, at most as long as given. */
  void finish(Duration atMost) throws InterruptedException {
    finishing.countDown();
    if (!waiting.isEmpty() || sender.isAlive()) {
      boolean _ = sender.join(atMost);
    }
    sender.interrupt();
  }

  private void run() {
    try {
      while (finishing.getCount() > 0 || !waiting.isEmpty()) {
        TranscriptSegment first = waiting.poll(GATHER.toMillis(), TimeUnit.MILLISECONDS);
        if (first != null) {
          List<TranscriptSegment> group = new ArrayList<>();
          group.add(first);
          boolean _ = finishing.await(GATHER.toMillis(), TimeUnit.MILLISECONDS);
          int _ = waiting.drainTo(group, GROUP_MAX - 1);
          send(group);
        }
      }
    } catch (InterruptedException e) {
      if (!waiting.isEmpty()) {
        log.warn("{} segments were not sent", waiting.size());
      }
    }
  }

  private void send(List<TranscriptSegment> group) throws InterruptedException {
    boolean silent = true;
    while (silent) {
      silent = callbackClient.transcript(group) instanceof CallbackReply.NoReply;
    }
  }
}
