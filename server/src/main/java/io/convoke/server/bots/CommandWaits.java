package io.convoke.server.bots;

import io.convoke.engine.journal.EventFilter;
import io.convoke.engine.journal.Journal;
import io.convoke.engine.journal.Tail;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.engine.wake.Pause;
import io.convoke.server.http.Problem;
import io.convoke.server.meetings.StatusChange;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Long polls of bots on this node for a command or the end of their meeting. A local commit wakes
 * them directly; commits of other nodes and status changes arrive through the journal. A waiting
 * bot costs no statement: the row is read before the wait and after each wake. A wake that is lost
 * costs one wait, because the next call reads the row first.
 *
 * <p>It subscribes to the journal at the first wait, so a node without such calls follows nothing.
 */
final class CommandWaits implements AutoCloseable {
  /** Calls that wait on one node; further ones are answered 503. */
  static final int ALL_MAX = 10_000;

  /**
   * Calls of one bot that wait. A bot needs one; a connection that it lost may hold another until
   * its time is over. One more ends the oldest.
   */
  static final int EACH_MAX = 4;

  private static final Logger log = LoggerFactory.getLogger(CommandWaits.class);
  private static final Duration TAIL_WAIT = Duration.ofMinutes(1);
  private static final Duration RETRY = Duration.ofSeconds(1);

  private final Journal journal;
  private final CountDownLatch closing = new CountDownLatch(1);

  /** By meeting, oldest first. Guarded by this, as is everything below. */
  private final Map<Long, Deque<Wait>> waits = new HashMap<>();

  private final Set<Tail> tails = new HashSet<>();
  private int size;
  private boolean following;

  CommandWaits(Journal journal) {
    this.journal = journal;
  }

  /** One call that waits. Begin it before the row is read, so that no change is missed. */
  final class Wait implements AutoCloseable {
    private final long meetingId;
    private final Pause pause = new Pause();

    private Wait(long meetingId) {
      this.meetingId = meetingId;
    }

    /**
     * Waits for a change of this meeting, at most this long. False when the answer is due: the node
     * stops, or later calls of the same bot have taken the place of this one.
     */
    boolean await(Duration atMost) throws InterruptedException {
      return pause.await(atMost);
    }

    @Override
    public void close() {
      end(this);
    }
  }

  /**
   * Begins a wait.
   *
   * @throws Problem 503 when too many calls wait on this node
   */
  synchronized Wait begin(long meetingId) {
    if (size >= ALL_MAX) {
      throw Problem.unavailable("A place to wait for commands");
    }
    Wait wait = new Wait(meetingId);
    if (closing.getCount() == 0) {
      wait.pause.close();
    }
    Deque<Wait> own = waits.computeIfAbsent(meetingId, _ -> new ArrayDeque<>());
    if (own.size() >= EACH_MAX) {
      own.removeFirst().pause.close();
      size--;
    }
    own.addLast(wait);
    size++;
    if (!following) {
      following = true;
      follow(BotCommands.SENT);
      follow(StatusChange.TYPE);
    }
    return wait;
  }

  /** Wakes the calls of one bot to read its row again. */
  synchronized void wake(long meetingId) {
    waits.getOrDefault(meetingId, new ArrayDeque<>()).forEach(wait -> wait.pause.wake());
  }

  /** How many calls wait. */
  synchronized int size() {
    return size;
  }

  /** Ends every wait; calls that come later do not wait. */
  @Override
  public synchronized void close() {
    closing.countDown();
    waits.values().forEach(own -> own.forEach(wait -> wait.pause.close()));
    tails.forEach(Tail::close);
  }

  private synchronized void end(Wait wait) {
    Deque<Wait> own = waits.getOrDefault(wait.meetingId, new ArrayDeque<>());
    if (own.remove(wait)) {
      size--;
    }
    if (own.isEmpty()) {
      waits.remove(wait.meetingId);
    }
  }

  private synchronized void wakeAll() {
    waits.values().forEach(own -> own.forEach(wait -> wait.pause.wake()));
  }

  private void follow(String type) {
    EventFilter filter = new EventFilter(Optional.of(type), Optional.empty(), Optional.empty());
    var _ = Thread.ofVirtual().name("command-waits-" + type).start(() -> follow(filter));
  }

  private void follow(EventFilter filter) {
    while (closing.getCount() > 0) {
      try (Tail tail = journal.tail(journal.settled(), filter)) {
        // Reading the rows once more finds what was settled before the subscription began.
        wakeAll();
        follow(tail);
      } catch (StoreUnavailable e) {
        log.debug("the journal cannot be followed now: {}", e.getMessage());
        boolean _ = closed(RETRY);
      } catch (InterruptedException e) {
        return;
      } catch (RuntimeException e) {
        log.error("an event could not be read; waiting bots read their rows again", e);
        boolean _ = closed(RETRY);
      }
    }
  }

  private void follow(Tail tail) throws InterruptedException {
    if (open(tail)) {
      try {
        while (closing.getCount() > 0) {
          tail.next(TAIL_WAIT).forEach(event -> wake(event.data().path("meeting_id").asLong()));
        }
      } finally {
        forget(tail);
      }
    }
  }

  /** False if this node is closing: the subscription would never be closed. */
  private synchronized boolean open(Tail tail) {
    return closing.getCount() > 0 && tails.add(tail);
  }

  private synchronized void forget(Tail tail) {
    boolean _ = tails.remove(tail);
  }

  /** Waits; true once this node is closing. */
  private boolean closed(Duration wait) {
    try {
      return closing.await(wait.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }
}
