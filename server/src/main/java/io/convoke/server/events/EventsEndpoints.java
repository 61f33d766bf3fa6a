package io.convoke.server.events;

import io.convoke.engine.journal.EventFilter;
import io.convoke.engine.journal.EventOwners;
import io.convoke.engine.journal.Journal;
import io.convoke.engine.journal.JournalEvent;
import io.convoke.engine.journal.JournalSubscription;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.server.http.ApiScope;
import io.convoke.server.http.CallerRole;
import io.convoke.server.http.Cursor;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.EventStream;
import io.convoke.server.http.Page;
import io.convoke.server.http.PageRequest;
import io.convoke.server.http.Problem;
import io.convoke.server.http.QuotaName;
import io.convoke.server.http.Request;
import io.convoke.server.http.Response;
import io.convoke.server.http.Schema;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import tools.jackson.databind.JsonNode;

/**
 * {@code GET /events}: settled events after a sequence, as JSON or as a server-sent event stream.
 * Users see the events that carry their number, and those of their teams' meetings; admins see all.
 * A stream ends when the reader's teams change; it goes on from its last event.
 *
 * <p>The stream starts after {@code Last-Event-ID}, else after {@code after}, else with new events.
 * It has no gap: the journal shows an event only when none with a smaller sequence can still
 * appear.
 */
public final class EventsEndpoints {
  private static final Duration STORE_RETRY = Duration.ofSeconds(1);
  private static final String STREAM = "text/event-stream";

  /** The subjects of a meeting's events. */
  private static final Set<String> SHARED = Set.of("meeting", "recording");

  private static final Schema SEQ = Schema.integer(0, Long.MAX_VALUE);
  private static final Schema WORD = Schema.printable(1, 200);

  /** An event as it is shown. */
  record EventView(long seq, String type, String subject, Instant at, JsonNode data) {
    static EventView of(JournalEvent journalEvent) {
      return new EventView(
          journalEvent.seq(),
          journalEvent.type(),
          journalEvent.subject(),
          journalEvent.at(),
          journalEvent.data());
    }
  }

  /** A page of events; {@code nextAfter} is the position for the next request. */
  record EventPage(List<EventView> items, Optional<String> nextCursor, long nextAfter) {}

  private final Journal journal;

  /** Serves this journal. */
  public EventsEndpoints(Journal journal) {
    this.journal = journal;
  }

  /** The one endpoint. */
  public List<Endpoint> endpoints() {
    return List.of(
        Endpoint.get("/events")
            .id("listEvents")
            .tag("events")
            .summary("Events after a sequence; a stream with Accept: text/event-stream.")
            .description(
                "JSON: settled events, oldest first unless order says newest; since and until are"
                    + " instants. Stream: id is the sequence, event the type; Last-Event-ID resumes"
                    + " without a gap, a comment comes at least every 15 s.")
            .roles(CallerRole.USER)
            .scope(ApiScope.READ)
            .query("after", SEQ.describe("Only events with a larger sequence."))
            .query("before", SEQ.describe("Lists: only events with a smaller sequence."))
            .query("since", Schema.instant().describe("Lists: only from this instant on."))
            .query("until", Schema.instant().describe("Lists: only from before this instant."))
            .query("order", Schema.oneOf("oldest", "newest").describe("Lists: the order."))
            .query("type", WORD.describe("Only this type, such as participant.joined."))
            .query("subject", WORD.describe("Only this subject, such as meeting:42."))
            .paged()
            .header(
                "Last-Event-ID",
                Schema.pattern("^[0-9]{1,19}$")
                    .describe("Streams: the sequence of the last event that arrived.")
                    .example("1718"))
            .answers(200, Schema.of(EventPage.class))
            .answers(200, STREAM)
            .handle(this::events));
  }

  private Response events(Request request) {
    EventFilter filter =
        EventFilter.of(
            request.query("type"),
            request.query("subject"),
            request
                .visibleUsers()
                .map(users -> new EventOwners(users.self(), users.teamMates(), SHARED)));
    return request.accepts(STREAM) ? stream(request, filter) : list(request, filter);
  }

  private Response list(Request request, EventFilter filter) {
    PageRequest pageRequest = request.page();
    boolean newest = request.query("order").filter("newest"::equals).isPresent();
    EventSequenceRange eventSequenceRange = stretch(request, pageRequest, newest);
    List<JournalEvent> events =
        newest
            ? journal.readBefore(filter, eventSequenceRange.before(), pageRequest.limit() + 1)
            : journal.read(filter, eventSequenceRange.after(), pageRequest.limit() + 1);
    List<JournalEvent> inside = events.stream().takeWhile(eventSequenceRange::contains).toList();
    Page<JournalEvent> slice =
        Page.of(inside, pageRequest, journalEvent -> Cursor.of(journalEvent.seq()));
    long next =
        slice.items().stream()
            .mapToLong(JournalEvent::seq)
            .max()
            .orElse(Math.max(0, eventSequenceRange.after()));
    List<EventView> shown = slice.items().stream().map(EventView::of).toList();
    return Response.ok(new EventPage(shown, slice.nextCursor(), next));
  }

  /** A part of the journal, both ends left out. */
  private record EventSequenceRange(long after, long before) {
    boolean contains(JournalEvent journalEvent) {
      return journalEvent.seq() > after && journalEvent.seq() < before;
    }
  }

  /** The query; a cursor continues after the last page. */
  private EventSequenceRange stretch(Request request, PageRequest pageRequest, boolean newest) {
    long after = request.queryLong("after").orElse(0L);
    long before = request.queryLong("before").orElse(Long.MAX_VALUE);
    Optional<Long> reached = pageRequest.cursor().map(cursor -> Cursor.parseLongs(cursor, 1)[0]);
    Optional<Long> since = request.query("since").map(Instant::parse).map(journal::lastBefore);
    Optional<Long> until = request.query("until").map(Instant::parse).map(journal::lastBefore);
    return new EventSequenceRange(
        Math.max(Math.max(after, since.orElse(0L)), newest ? 0 : reached.orElse(0L)),
        Math.min(
            Math.min(before, until.map(seq -> seq + 1).orElse(Long.MAX_VALUE)),
            newest ? reached.orElse(Long.MAX_VALUE) : Long.MAX_VALUE));
  }

  private Response stream(Request request, EventFilter filter) {
    request.permitOneMore(QuotaName.STREAMS);
    long after =
        lastEventId(request).or(() -> request.queryLong("after")).orElseGet(journal::settled);
    return Response.events(out -> follow(out, after, filter));
  }

  private void follow(EventStream out, long after, EventFilter filter) throws InterruptedException {
    try (JournalSubscription journalSubscription = journal.tail(after, filter)) {
      while (out.open()) {
        List<JournalEvent> events = next(journalSubscription);
        if (events.isEmpty()) {
          out.heartbeat();
        }
        events.forEach(
            journalEvent ->
                out.add(
                    String.valueOf(journalEvent.seq()),
                    journalEvent.type(),
                    EventView.of(journalEvent)));
        out.flush();
      }
    }
  }

  /** The next events; none after a pause while the database is unreachable. */
  private static List<JournalEvent> next(JournalSubscription journalSubscription)
      throws InterruptedException {
    try {
      return journalSubscription.next(EventStream.HEARTBEAT);
    } catch (StoreUnavailable _) {
      LockSupport.parkNanos(STORE_RETRY.toNanos());
      return List.of();
    }
  }

  private static Optional<Long> lastEventId(Request request) {
    try {
      return request.header("Last-Event-ID").map(Long::valueOf);
    } catch (NumberFormatException _) {
      throw Problem.badRequest("Last-Event-ID", "is not a sequence");
    }
  }
}
