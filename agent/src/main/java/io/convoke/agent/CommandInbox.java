package io.convoke.agent;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Commands from both ways, Redis and the answers to callbacks, each passed on once. One that comes
 * again was not acknowledged yet, or not for long enough: it is passed on only to be acknowledged
 * again.
 */
final class CommandInbox {
  private static final int REMEMBERED = 1000;

  /** Guarded by this. */
  private final Map<String, Boolean> seen = remembering();

  private final LinkedBlockingQueue<CommandDelivery> queue = new LinkedBlockingQueue<>(REMEMBERED);

  /** A command, and whether it is new. */
  record CommandDelivery(BotCommand command, boolean first) {}

  /** A map by commands that forgets the oldest of too many. */
  static <V> Map<String, V> remembering() {
    return new LinkedHashMap<>() {
      @Override
      protected boolean removeEldestEntry(Map.Entry<String, V> eldest) {
        return size() > REMEMBERED;
      }
    };
  }

  void offer(BotCommand botCommand) {
    boolean first;
    synchronized (this) {
      first = seen.putIfAbsent(botCommand.id(), Boolean.TRUE) == null;
    }
    if (!queue.offer(new CommandDelivery(botCommand, first)) && first) {
      synchronized (this) {
        seen.remove(botCommand.id());
      }
    }
  }

  CommandDelivery next() throws InterruptedException {
    return queue.take();
  }
}
