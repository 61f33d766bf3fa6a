package io.convoke.simulator.room;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * The queue between a room and one open event stream; a reader that falls too far behind is
 * disconnected.
 */
final class RoomStreamQueue {

  private static final int CAPACITY = 2_000;

  private final BlockingQueue<RoomFeed.RoomFeedEntry> queue = new LinkedBlockingQueue<>(CAPACITY);
  private volatile boolean closed;

  void offer(RoomFeed.RoomFeedEntry roomFeedEntry) {
    if (!queue.offer(roomFeedEntry)) {
      close();
    }
  }

  /** The next event, or absent after a timeout. */
  Optional<RoomFeed.RoomFeedEntry> next(Duration patience) throws InterruptedException {
    return Optional.ofNullable(queue.poll(patience.toNanos(), TimeUnit.NANOSECONDS));
  }

  void clear() {
    queue.clear();
  }

  boolean closed() {
    return closed;
  }

  void close() {
    closed = true;
  }
}
