package io.convoke.server.launch;

import io.convoke.server.launch.Launcher.BotExit;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tracks which bots one launcher has seen running and exited. It notifies listeners of each exit
 * once, however often stream and listing report it, and remembers recent exits.
 */
public final class ExitTracker {
  private static final Logger log = LoggerFactory.getLogger(ExitTracker.class);
  private static final int REMEMBERED = 10_000;

  private final CopyOnWriteArrayList<Consumer<BotExit>> listeners = new CopyOnWriteArrayList<>();

  /** Names by handle; guarded by this. */
  private final Map<String, String> running = new LinkedHashMap<>();

  /** Ends by handle; guarded by this. */
  private final Map<String, BotExit> ended =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, BotExit> eldest) {
          return size() > REMEMBERED;
        }
      };

  /** Adds a listener. */
  public void listen(Consumer<BotExit> listener) {
    listeners.add(listener);
  }

  /** Removes all listeners. */
  public void removeListeners() {
    listeners.clear();
  }

  /** Records that a bot runs, unless its exit is known. */
  public synchronized void runs(String handle, String name) {
    if (!ended.containsKey(handle)) {
      running.put(handle, name);
    }
  }

  /** Every bot that was seen running and not exited, names by handle. */
  public synchronized Map<String, String> running() {
    return Map.copyOf(running);
  }

  /** The end of a bot that this object has seen. */
  public synchronized Optional<BotExit> of(String handle) {
    return Optional.ofNullable(ended.get(handle));
  }

  /** Records an exit; the first time, listeners are called on this thread. */
  public void ended(String handle, String name, Optional<Integer> exitCode) {
    BotExit botExit = new BotExit(handle, name, exitCode);
    synchronized (this) {
      running.remove(handle);
      if (ended.putIfAbsent(handle, botExit) != null) {
        return;
      }
    }
    for (Consumer<BotExit> listener : listeners) {
      try {
        listener.accept(botExit);
      } catch (RuntimeException | Error e) {
        log.warn("a listener to the end of bot {} failed", name, e);
      }
    }
  }
}
