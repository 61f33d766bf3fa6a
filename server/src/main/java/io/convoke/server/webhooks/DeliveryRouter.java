package io.convoke.server.webhooks;

import io.convoke.engine.journal.EventFilter;
import io.convoke.engine.journal.Journal;
import io.convoke.engine.journal.JournalEvent;
import io.convoke.engine.journal.JournalSubscription;
import io.convoke.engine.sql.Database;
import io.convoke.server.loop.PeriodicTask;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;

/**
 * Creates deliveries from journal events, exactly once per matching endpoint: an endpoint's
 * position in the journal is in its row and advances in the same transaction. Several nodes may run
 * it at once; the first to reach a range of events routes it.
 *
 * <p>Many events for one user, or one event for many endpoints of a user, must not delay others.
 * New events are therefore routed at once only to the endpoints of the users with the fewest
 * deliveries; the rest, like resumed endpoints, lag and catch up by their own reads of the journal.
 * One catch-up step runs between two reads of new events, round-robin by user.
 */
final class DeliveryRouter implements AutoCloseable {
  private static final Duration WAIT = Duration.ofSeconds(60);
  private static final Duration STORE_RETRY = Duration.ofSeconds(2);

  /** A position that lags by more events than this is saved even if none of them matched. */
  private static final long FAR = 1_000;

  /** Transactions with new deliveries in one round; further endpoints lag. */
  private static final int AT_ONCE_MAX = 20;

  /** With more new deliveries than this, a user's endpoints lag. */
  private static final int DELIVERIES_MAX = 100;

  /** Deliveries per catch-up step. */
  private static final int STEP_MAX = 100;

  /** While new events fill whole reads, a catch-up step runs only after this many reads. */
  private static final int STEP_AFTER_FULL_READS = 10;

  private final Database database;
  private final Journal journal;
  private final DeliveryStore deliveries;
  private final WebhookMetrics meters;
  private final PeriodicTask task = new PeriodicTask("webhook-router", STORE_RETRY, this::follow);
  private volatile Optional<JournalSubscription> tail = Optional.empty();

  /** The active endpoints, as of the last event about any endpoint. */
  private List<WebhookEndpoint> active = List.of();

  /**
   * This node's position in the journal by endpoint; may be ahead of the row by events that the
   * endpoint does not want.
   */
  private final Map<Long, Long> seen = new HashMap<>();

  /** The last position that this node saved, by endpoint. */
  private final Map<Long, Long> written = new HashMap<>();

  /** Lagging endpoints by user; the first endpoint of the first user is next. */
  private final LinkedHashMap<Optional<Long>, Queue<Long>> behind = new LinkedHashMap<>();

  private int fullReads;

  /**
   * Duration of the last catch-up step; the next read of new events waits as long, so that both get
   * half the time.
   */
  private Duration stepTook = Duration.ZERO;

  DeliveryRouter(
      Database database, Journal journal, DeliveryStore deliveries, WebhookMetrics meters) {
    this.database = database;
    this.journal = journal;
    this.deliveries = deliveries;
    this.meters = meters;
  }

  void start() {
    task.start();
  }

  @Override
  public void close() {
    task.close();
    tail.ifPresent(JournalSubscription::close);
  }

  /** Routes until the task is closed. */
  private Duration follow() throws InterruptedException {
    seen.clear();
    written.clear();
    behind.clear();
    long from = journal.settled();
    refresh(from);
    try (JournalSubscription events = journal.tail(from, EventFilter.ALL)) {
      tail = Optional.of(events);
      while (!task.closed()) {
        long before = events.position();
        List<JournalEvent> next = events.next(behind.isEmpty() ? WAIT : stepTook);
        if (next.stream().anyMatch(DeliveryRouter::aboutEndpoints)) {
          refresh(before);
        }
        routeNew(next, before, events.position());
        fullReads = next.size() < Journal.READ_MAX ? 0 : fullReads + 1;
        if (fullReads % STEP_AFTER_FULL_READS == 0) {
          long begun = System.nanoTime();
          catchUp(events.position());
          stepTook = Duration.ofNanos(System.nanoTime() - begun);
        }
      }
    } finally {
      tail = Optional.empty();
    }
    return STORE_RETRY;
  }

  private static boolean aboutEndpoints(JournalEvent journalEvent) {
    return journalEvent.type().startsWith(WebhookEndpoint.EVENTS);
  }

  /** Loads the active endpoints; those with an older position lag. */
  private void refresh(long upTo) {
    active = deliveries.active();
    List<Long> ids = active.stream().map(WebhookEndpoint::id).toList();
    boolean _ = seen.keySet().retainAll(ids);
    boolean _ = written.keySet().retainAll(ids);
    behind.clear();
    active.stream().filter(endpoint -> place(endpoint) < upTo).forEach(this::leaveBehind);
  }

  private long place(WebhookEndpoint endpoint) {
    return Math.max(endpoint.routedSeq(), seen.getOrDefault(endpoint.id(), 0L));
  }

  private void leaveBehind(WebhookEndpoint endpoint) {
    boolean _ =
        behind.computeIfAbsent(endpoint.userId(), user -> new ArrayDeque<>()).add(endpoint.id());
  }

  /** One user's endpoints that do not lag, and the number of their new deliveries. */
  private record Share(List<WebhookEndpoint> endpoints, int deliveries) {}

  private void routeNew(List<JournalEvent> events, long from, long upTo) {
    if (from == upTo) {
      return;
    }
    Map<Optional<Long>, List<WebhookEndpoint>> byUser = new LinkedHashMap<>();
    for (WebhookEndpoint endpoint : active) {
      if (place(endpoint) >= from && !isBehind(endpoint)) {
        boolean _ =
            byUser.computeIfAbsent(endpoint.userId(), user -> new ArrayList<>()).add(endpoint);
      }
    }
    List<Share> shares =
        byUser.values().stream()
            .map(endpoints -> share(endpoints, events))
            .sorted(Comparator.comparingInt(Share::deliveries))
            .toList();
    int transactions = 0;
    List<WebhookEndpoint> idle = new ArrayList<>();
    for (Share share : shares) {
      for (WebhookEndpoint endpoint : share.endpoints) {
        List<JournalEvent> wanted = wanted(endpoint, events);
        if (wanted.isEmpty()) {
          boolean _ = idle.add(endpoint);
        } else if (transactions >= AT_ONCE_MAX || share.deliveries > DELIVERIES_MAX) {
          leaveBehind(endpoint);
        } else {
          boolean _ = route(endpoint, wanted, upTo);
          transactions++;
        }
      }
    }
    skip(idle, upTo);
  }

  private boolean isBehind(WebhookEndpoint endpoint) {
    Queue<Long> of = behind.get(endpoint.userId());
    return of != null && of.contains(endpoint.id());
  }

  private static Share share(List<WebhookEndpoint> endpoints, List<JournalEvent> events) {
    return new Share(
        endpoints, endpoints.stream().mapToInt(endpoint -> wanted(endpoint, events).size()).sum());
  }

  private static List<JournalEvent> wanted(WebhookEndpoint endpoint, List<JournalEvent> events) {
    return events.stream().filter(endpoint::wants).toList();
  }

  /** One catch-up step for one lagging endpoint; it and its user move to the end of the queue. */
  private void catchUp(long upTo) throws InterruptedException {
    if (behind.isEmpty()) {
      return;
    }
    Optional<Long> user = behind.keySet().iterator().next();
    Queue<Long> ids = behind.remove(user);
    if (ids == null) {
      return;
    }
    long id = ids.remove();
    Optional<WebhookEndpoint> found =
        active.stream().filter(endpoint -> endpoint.id() == id).findFirst();
    if (found.isPresent() && step(found.get(), upTo)) {
      boolean _ = ids.add(id);
    }
    if (!ids.isEmpty()) {
      Queue<Long> _ = behind.put(user, ids);
    }
  }

  /** Routes the next events to an endpoint; true if it still lags. */
  private boolean step(WebhookEndpoint endpoint, long upTo) throws InterruptedException {
    EventFilter mine = new EventFilter(Optional.empty(), Optional.empty(), endpoint.userId());
    try (JournalSubscription own = journal.tail(place(endpoint), mine)) {
      List<JournalEvent> wanted = wanted(endpoint, own.next(Duration.ZERO));
      List<JournalEvent> some = wanted.subList(0, Math.min(STEP_MAX, wanted.size()));
      boolean whole = some.size() == wanted.size();
      return route(endpoint, some, whole ? own.position() : some.getLast().seq())
          && place(endpoint) < upTo;
    }
  }

  /**
   * Creates deliveries up to a position; false if the endpoint is not active. Its position is then
   * forgotten: the event of its pause or removal is still to be read, and if it has been resumed by
   * then, it gets the events after the position in its row.
   */
  private boolean route(WebhookEndpoint endpoint, List<JournalEvent> wanted, long end) {
    if (wanted.isEmpty()) {
      skip(List.of(endpoint), end);
      return true;
    }
    Optional<Integer> made =
        database.transaction(tx -> DeliveryStore.route(tx, endpoint.id(), wanted, end));
    if (made.isEmpty()) {
      var _ = seen.remove(endpoint.id());
      var _ = written.remove(endpoint.id());
      return false;
    }
    meters.routed(made.get());
    var _ = written.put(endpoint.id(), end);
    var _ = seen.put(endpoint.id(), end);
    return true;
  }

  /** Advances endpoints that want no event up to a position; saves those that lag, together. */
  private void skip(List<WebhookEndpoint> endpoints, long end) {
    List<Long> far = new ArrayList<>();
    for (WebhookEndpoint endpoint : endpoints) {
      if (end - written.getOrDefault(endpoint.id(), endpoint.routedSeq()) > FAR) {
        boolean _ = far.add(endpoint.id());
      }
      var _ = seen.put(endpoint.id(), end);
    }
    if (!far.isEmpty()) {
      deliveries.skip(far, end);
      far.forEach(id -> written.put(id, end));
    }
  }
}
