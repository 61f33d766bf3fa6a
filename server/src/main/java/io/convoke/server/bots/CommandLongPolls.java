package io.convoke.server.bots;

import io.convoke.engine.journal.EventFilter;
import io.convoke.engine.journal.Journal;
import io.convoke.engine.journal.JournalSubscription;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.engine.wake.Waiter;
import io.convoke.server.http.Problem;
import io.convoke.server.meetings.MeetingStatusChange;
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
 * bot costs no statement: the row is read before the wait and after each wake. A lost wake-up costs
 * one wait, because the next call reads the row first.
 *
 * <p>It subscribes to the journal at the first wait, so a node without such calls follows nothing.
 */
final class CommandLongPolls implements AutoCloseable {
  /** Calls that wait on one node; further ones are answered 503. */
  static final int ALL_MAX = 10_000;

  /**
   * Calls of one bot that wait. A bot needs one; a connection that it lost may hold another until
   * its time is over. One more ends the oldest.
   */
  static final int EACH_MAX = 4;

  private static final Logger log = LoggerFactory.getLogger(CommandLongPolls.class);
  private static final Duration TAIL_WAIT = Duration.ofMinutes(1);
  private static final Duration RETRY = Duration.ofSeconds(1);

  private final Journal journal;
  private final CountDownLatch closing = new CountDownLatch(1);

  /** By meeting, oldest first. Guarded by this, as is everything below. */
  private final Map<Long, Deque<CommandLongPoll>> waits = new HashMap<>();

  private final Set<JournalSubscription> tails = new HashSet<>();
  private int size;
  private boolean following;

  CommandLongPolls(Journal journal) {
    this.journal = journal;
  }

  /** One call that waits. Begin it before the row is read, so that no change is missed. */
  final class CommandLongPoll implements AutoCloseable {
    private final long meetingId;
    private final Waiter waiter = new Waiter();

    private CommandLongPoll(long meetingId) {
      this.meetingId = meetingId;
    }

    /**
     * Waits for a change of this meeting, at most this long. False when the answer is due: the node
     * stops, or later calls of the same bot have taken the place of this one.
     */
    boolean await(Duration atMost) throws InterruptedException {
      return waiter.await(atMost);
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
  synchronized CommandLongPoll begin(long meetingId) {
    if (size >= ALL_MAX) {
      throw Problem.unavailable("A place to wait for commands");
    }
    CommandLongPoll commandLongPoll = new CommandLongPoll(meetingId);
    if (closing.getCount() == 0) {
      commandLongPoll.waiter.close();
    }
    Deque<CommandLongPoll> own = waits.computeIfAbsent(meetingId, _ -> new ArrayDeque<>());
    if (own.size() >= EACH_MAX) {
      own.removeFirst().waiter.close();
      size--;
    }
    own.addLast(commandLongPoll);
    size++;
    if (!following) {
      following = true;
      follow(BotCommandQueue.SENT);
      follow(MeetingStatusChange.TYPE);
    }
    return commandLongPoll;
  }

  /** Wakes the calls of one bot to read its row again. */
  synchronized void wake(long meetingId) {
    waits
        .getOrDefault(meetingId, new ArrayDeque<>())
        .forEach(commandLongPoll -> commandLongPoll.waiter.wake());
  }

  /** How many calls wait. */
  synchronized int size() {
    return size;
  }

  /** Ends every wait; calls that come later do not wait. */
  @Override
  public synchronized void close() {
    closing.countDown();
    waits.values().forEach(own -> own.forEach(commandLongPoll -> commandLongPoll.waiter.close()));
    tails.forEach(JournalSubscription::close);
  }

  private synchronized void end(CommandLongPoll commandLongPoll) {
    Deque<CommandLongPoll> own = waits.getOrDefault(commandLongPoll.meetingId, new ArrayDeque<>());
    if (own.remove(commandLongPoll)) {
      size--;
    }
    if (own.isEmpty()) {
      waits.remove(commandLongPoll.meetingId);
    }
  }

  private synchronized void wakeAll() {
    waits.values().forEach(own -> own.forEach(commandLongPoll -> commandLongPoll.waiter.wake()));
  }

  private void follow(String type) {
    EventFilter filter = new EventFilter(Optional.of(type), Optional.empty(), Optional.empty());
    var _ = Thread.ofVirtual().name("command-waits-" + type).start(() -> follow(filter));
  }

  private void follow(EventFilter filter) {
    while (closing.getCount() > 0) {
      try (JournalSubscription journalSubscription = journal.tail(journal.settled(), filter)) {
        // Reading the rows once more finds changes from before the subscription began.
        wakeAll();
        follow(journalSubscription);
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

  private void follow(JournalSubscription journalSubscription) throws InterruptedException {
    if (open(journalSubscription)) {
      try {
        while (closing.getCount() > 0) {
          journalSubscription
              .next(TAIL_WAIT)
              .forEach(journalEvent -> wake(journalEvent.data().path("meeting_id").asLong()));
        }
      } finally {
        forget(journalSubscription);
      }
    }
  }

  /** False if this node is closing: the subscription would never be closed. */
  private synchronized boolean open(JournalSubscription journalSubscription) {
    return closing.getCount() > 0 && tails.add(journalSubscription);
  }

  private synchronized void forget(JournalSubscription journalSubscription) {
    boolean _ = tails.remove(journalSubscription);
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
