package io.convoke.server.webhooks;

import io.convoke.engine.journal.Event;
import io.convoke.engine.journal.EventFilter;
import io.convoke.engine.journal.Journal;
import io.convoke.engine.journal.Tail;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.SqlFailure;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.engine.wake.Pause;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows the journal and makes deliveries of it, once for each endpoint that wants an event: how
 * far it is stands in the endpoint's row and moves in the same transaction. Several nodes may do it
 * at once; the first to come to a stretch does it for all.
 *
 * <p>An endpoint that is behind, because it was paused or no node was up, is brought up to date
 * from the table.
 */
final class Router implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Router.class);
  private static final Duration WAIT = Duration.ofSeconds(60);
  private static final Duration STORE_RETRY = Duration.ofSeconds(2);
  private static final Duration HOUSEKEEPING = Duration.ofHours(1);

  /** A place that is older than this is written down although nothing was wanted since. */
  private static final long FAR = 1_000;

  private final Database database;
  private final Journal journal;
  private final DeliveryStore deliveries;
  private final WebhookMeters meters;
  private final Pause pause = new Pause();
  private volatile Optional<Tail> tail = Optional.empty();
  private volatile boolean closed;
  private long prunedAt = System.nanoTime();

  /** Who is delivered to, as of the last event about any of them. */
  private List<WebhookEndpoint> active = List.of();

  /** How far this node has looked for each endpoint, further than its row says. */
  private final Map<Long, Long> seen = new HashMap<>();

  /** How far the rows are, as far as this node has written them. */
  private final Map<Long, Long> written = new HashMap<>();

  Router(Database database, Journal journal, DeliveryStore deliveries, WebhookMeters meters) {
    this.database = database;
    this.journal = journal;
    this.deliveries = deliveries;
    this.meters = meters;
  }

  void start() {
    var _ = Thread.ofVirtual().name("webhook-router").start(this::run);
  }

  @Override
  public void close() {
    closed = true;
    pause.close();
    tail.ifPresent(Tail::close);
  }

  private void run() {
    try {
      while (!closed) {
        try {
          follow();
        } catch (StoreUnavailable | SqlFailure away) {
          log.info("webhooks out wait for the database: {}", away.getMessage());
        } catch (RuntimeException | Error bug) {
          log.error("the router of webhooks failed, it goes on", bug);
        }
        boolean _ = pause.await(STORE_RETRY);
      }
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  private void follow() throws InterruptedException {
    seen.clear();
    written.clear();
    long from = journal.settled();
    route(List.of(), from, from);
    try (Tail events = journal.tail(from, EventFilter.ALL)) {
      tail = Optional.of(events);
      while (!closed) {
        long before = events.position();
        List<Event> next = events.next(WAIT);
        if (!next.isEmpty()) {
          route(next, before, events.position());
        }
        prune();
      }
    } finally {
      tail = Optional.empty();
    }
  }

  /** Makes deliveries of a stretch of the journal, and of what is older for endpoints behind it. */
  private void route(List<Event> events, long from, long upTo) {
    if (events.isEmpty() || events.stream().anyMatch(Router::aboutEndpoints)) {
      active = deliveries.active();
    }
    List<Long> ids = active.stream().map(WebhookEndpoint::id).toList();
    boolean _ = seen.keySet().retainAll(ids);
    boolean _ = written.keySet().retainAll(ids);
    for (WebhookEndpoint endpoint : active) {
      long place = Math.max(endpoint.routedSeq(), seen.getOrDefault(endpoint.id(), 0L));
      while (place < from && !closed) {
        List<Event> older = journal.read(EventFilter.ALL, place, Journal.READ_MAX);
        boolean whole = older.size() < Journal.READ_MAX;
        long end = whole ? Math.max(from, last(older, from)) : older.getLast().seq();
        route(endpoint, older, end);
        place = end;
      }
      if (place < upTo) {
        long begin = place;
        route(endpoint, events.stream().filter(event -> event.seq() > begin).toList(), upTo);
      }
    }
  }

  private static boolean aboutEndpoints(Event event) {
    return event.type().startsWith(WebhookEndpoint.EVENTS);
  }

  private static long last(List<Event> events, long otherwise) {
    return events.isEmpty() ? otherwise : events.getLast().seq();
  }

  private void route(WebhookEndpoint endpoint, List<Event> events, long end) {
    List<Event> wanted = events.stream().filter(endpoint::wants).toList();
    long known = written.getOrDefault(endpoint.id(), endpoint.routedSeq());
    if (!wanted.isEmpty() || end - known > FAR) {
      int made = database.transaction(tx -> DeliveryStore.route(tx, endpoint.id(), wanted, end));
      meters.routed(made);
      var _ = written.put(endpoint.id(), end);
    }
    var _ = seen.put(endpoint.id(), end);
  }

  private void prune() {
    if (System.nanoTime() - prunedAt > HOUSEKEEPING.toNanos()) {
      prunedAt = System.nanoTime();
      int _ = deliveries.prune();
    }
  }
}
