package io.convoke.server.meetings;

import io.convoke.engine.journal.Event;
import io.convoke.engine.journal.EventFilter;
import io.convoke.engine.journal.Journal;
import io.convoke.engine.json.Json;
import io.convoke.server.http.Answer;
import io.convoke.server.http.Cursor;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.Page;
import io.convoke.server.http.Problem;
import io.convoke.server.http.Request;
import io.convoke.server.http.Role;
import io.convoke.server.http.Schema;
import io.convoke.server.http.Slice;
import io.convoke.server.meetings.MeetingStore.Place;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * {@code /meetings} and {@code /transcripts}: the row itself (CONTRACT.md, Meetings and presence).
 */
public final class MeetingEndpoints {
  private static final int SEGMENTS_MAX = 20_000;
  private static final Schema MEETING = Schema.of(Meeting.class);
  private static final Schema NATIVE_ID = Schema.printable(1, 255);

  private final MeetingStore store;
  private final Journal journal;
  private final MeetingHosts hosts;

  /** Serves meetings and transcripts from the store, and timelines from the journal. */
  public MeetingEndpoints(MeetingStore store, Journal journal, MeetingHosts hosts) {
    this.hosts = hosts;
    this.store = store;
    this.journal = journal;
  }

  private record Track(
      String platform,
      Optional<String> nativeMeetingId,
      Optional<String> platformSpecificId,
      Optional<String> meetingUrl,
      Optional<JsonNode> data) {}

  /** One thing that happened to a meeting. */
  record Moment(long seq, String type, Instant at, String subject, JsonNode data) {}

  /**
   * What was said in a meeting; partial while more may come, of it or of a recording of it, or when
   * there is more than this answer holds, which the cursor leads to.
   */
  record Transcript(
      long meetingId, List<Segment> segments, boolean partial, Optional<String> nextCursor) {}

  /** What to serve. */
  public List<Endpoint> endpoints() {
    return List.of(
        Endpoint.post("/meetings")
            .id("trackMeeting")
            .tag("meetings")
            .summary("Keep presence of a meeting without sending a bot.")
            .roles(Role.USER)
            .body(
                Schema.object()
                    .required("platform", Schema.oneOf(Platform.class))
                    .optional("native_meeting_id", NATIVE_ID)
                    .optional("platform_specific_id", NATIVE_ID)
                    .optional("meeting_url", Schema.anyUrl())
                    .optional("data", Schema.anyObject()))
            .creates()
            .answers(201, MEETING)
            .problems(404, 409)
            .handle(this::track),
        Endpoint.get("/meetings")
            .id("listMeetings")
            .tag("meetings")
            .summary("Meetings, newest first.")
            .roles(Role.USER)
            .query("status", Schema.oneOf(MeetingStatus.class))
            .query("platform", Schema.oneOf(Platform.class))
            .paged()
            .answers(200, Schema.slice(MEETING))
            .handle(this::list),
        Endpoint.get("/meetings/{id}")
            .id("getMeeting")
            .tag("meetings")
            .summary("One meeting.")
            .roles(Role.USER)
            .answers(200, MEETING)
            .handle(request -> Answer.ok(visible(request))),
        Endpoint.patch("/meetings/{id}")
            .id("describeMeeting")
            .tag("meetings")
            .summary("Replace the free-form data of a meeting; its outcome stays.")
            .roles(Role.USER)
            .body(Schema.object().required("data", Schema.anyObject()))
            .answers(200, MEETING)
            .handle(this::describe),
        Endpoint.get("/meetings/{id}/timeline")
            .id("meetingTimeline")
            .tag("meetings")
            .summary("What happened to a meeting, in order, but what was said.")
            .roles(Role.USER)
            .paged()
            .answers(200, Schema.slice(Schema.of(Moment.class)))
            .handle(this::timeline),
        Endpoint.get("/transcripts/{meeting_id}")
            .id("getTranscript")
            .tag("meetings")
            .summary("The transcript of a meeting.")
            .description(
                "All of it, up to 20,000 segments; limit and cursor ask for a page. Ordered by"
                    + " session and start. partial: more may be said, or next_cursor leads on.")
            .roles(Role.USER)
            .query("limit", Schema.integer(1, SEGMENTS_MAX).byDefault(SEGMENTS_MAX))
            .query("cursor", Schema.printable(1, 1024))
            .answers(200, Schema.of(Transcript.class))
            .handle(this::transcript));
  }

  private Answer track(Request request) {
    Track body = request.body(Track.class);
    MeetingStore.Tracked tracked =
        store.track(
            request.actingUser(),
            body.platform(),
            MeetingChoice.of(
                    body.platform(),
                    body.nativeMeetingId().or(body::platformSpecificId),
                    body.meetingUrl(),
                    hosts)
                .nativeId(),
            body.data().filter(JsonNode::isObject),
            request.caller().scope());
    if (!tracked.created()) {
      throw Problem.conflict(
          "already_tracked",
          "This meeting is tracked already.",
          Map.of("meeting_id", tracked.meeting().id(), "meeting", Json.tree(tracked.meeting())));
    }
    return Answer.created(tracked.meeting());
  }

  private Answer list(Request request) {
    Page page = request.page();
    List<Meeting> meetings =
        store.list(
            new MeetingStore.Filter(
                request.ownerFilter(),
                request
                    .query("status")
                    .map(word -> MeetingStatus.valueOf(word.toUpperCase(Locale.ROOT))),
                request.query("platform"),
                page.cursor().map(cursor -> Cursor.parseLongs(cursor, 1)[0]).orElse(Long.MAX_VALUE),
                page.limit() + 1));
    Optional<String> next =
        meetings.size() > page.limit()
            ? Optional.of(Cursor.of(meetings.get(page.limit() - 1).id()))
            : Optional.empty();
    return Answer.ok(new Slice<>(meetings.stream().limit(page.limit()).toList(), next));
  }

  private Answer describe(Request request) {
    Meeting meeting = visible(request);
    return Answer.ok(
        store
            .describe(meeting.id(), request.json().path("data"))
            .orElseThrow(() -> Problem.notFound("meeting")));
  }

  private Answer timeline(Request request) {
    Meeting meeting = visible(request);
    Page page = request.page();
    long after = page.cursor().map(cursor -> Cursor.parseLongs(cursor, 1)[0]).orElse(0L);
    List<Event> events =
        journal.read(
            EventFilter.subject(StatusChange.subject(meeting.id())).without(Transcripts.TYPE),
            after,
            page.limit() + 1);
    Optional<String> next =
        events.size() > page.limit()
            ? Optional.of(Cursor.of(events.get(page.limit() - 1).seq()))
            : Optional.empty();
    return Answer.ok(
        new Slice<>(
            events.stream()
                .limit(page.limit())
                .map(
                    event ->
                        new Moment(
                            event.seq(), event.type(), event.at(), event.subject(), event.data()))
                .toList(),
            next));
  }

  private Answer transcript(Request request) {
    Meeting meeting = visible(request.pathId("meeting_id"), request);
    int limit = request.queryLong("limit").orElse((long) SEGMENTS_MAX).intValue();
    Place after = request.query("cursor").map(MeetingEndpoints::place).orElse(Place.BEGIN);
    Slice<MeetingStore.Placed> slice =
        Slice.of(
            store.segments(meeting.id(), after, limit + 1),
            new Page(limit, Optional.empty()),
            last -> cursor(last.place()));
    return Answer.ok(
        new Transcript(
            meeting.id(),
            slice.items().stream().map(MeetingStore.Placed::segment).toList(),
            slice.nextCursor().isPresent()
                || !meeting.status().terminal()
                || store.awaitsWords(meeting.id()),
            slice.nextCursor()));
  }

  private static String cursor(Place place) {
    return Cursor.of(place.unnamed(), place.sessionUid(), place.start(), place.id());
  }

  private static Place place(String cursor) {
    List<String> keys = Cursor.parse(cursor);
    try {
      return new Place(
          Boolean.parseBoolean(keys.get(0)),
          keys.get(1),
          Double.parseDouble(keys.get(2)),
          Long.parseLong(keys.get(3)));
    } catch (NumberFormatException | IndexOutOfBoundsException _) {
      throw Problem.badRequest("cursor", "is not a cursor of this list");
    }
  }

  private Meeting visible(Request request) {
    return visible(request.pathId("id"), request);
  }

  private Meeting visible(long id, Request request) {
    return store
        .find(id)
        .filter(meeting -> request.caller().sees(meeting.userId()))
        .orElseThrow(() -> Problem.notFound("meeting"));
  }
}
