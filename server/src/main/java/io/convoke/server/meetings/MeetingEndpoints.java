package io.convoke.server.meetings;

import io.convoke.engine.journal.EventFilter;
import io.convoke.engine.journal.Journal;
import io.convoke.engine.journal.JournalEvent;
import io.convoke.engine.json.Json;
import io.convoke.server.http.ApiScope;
import io.convoke.server.http.CallerRole;
import io.convoke.server.http.Cursor;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.Page;
import io.convoke.server.http.PageRequest;
import io.convoke.server.http.Problem;
import io.convoke.server.http.QuotaName;
import io.convoke.server.http.Request;
import io.convoke.server.http.Response;
import io.convoke.server.http.Schema;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** {@code /meetings}: the row itself (docs/spec/contract.md, Meetings and presence). */
public final class MeetingEndpoints {
  private static final Schema MEETING = Schema.of(Meeting.class);
  private static final Schema NATIVE_ID = Schema.printable(1, 255);

  private final MeetingStore store;
  private final Journal journal;
  private final AllowedMeetingHosts hosts;

  /** Serves meetings from the store, and timelines from the journal. */
  public MeetingEndpoints(MeetingStore store, Journal journal, AllowedMeetingHosts hosts) {
    this.hosts = hosts;
    this.store = store;
    this.journal = journal;
  }

  private record TrackRequest(
      String platform,
      Optional<String> nativeMeetingId,
      Optional<String> platformSpecificId,
      Optional<String> meetingUrl,
      Optional<JsonNode> data) {}

  /** An event of a meeting's timeline. */
  record MeetingHistoryEntry(long seq, String type, Instant at, String subject, JsonNode data) {}

  /** Tracking, reading and describing meetings. */
  public List<Endpoint> endpoints() {
    return List.of(
        Endpoint.post("/meetings")
            .id("trackMeeting")
            .tag("meetings")
            .summary("Track presence of a meeting without a bot.")
            .description(
                "A room of Daily belongs to one user, by default the first who uses it: 403 with"
                    + " code room_claimed for others.")
            .roles(CallerRole.USER)
            .scope(ApiScope.MEETINGS)
            .body(
                Schema.object()
                    .required("platform", Schema.oneOf(MeetingPlatform.class))
                    .optional("native_meeting_id", NATIVE_ID)
                    .optional("platform_specific_id", NATIVE_ID)
                    .optional("meeting_url", Schema.anyUrl())
                    .optional("data", Schema.anyObject())
                    .example(
                        Json.read(
                            "{\"platform\": \"daily\", \"native_meeting_id\": \"stand-up\"}")))
            .creates()
            .answers(201, MEETING)
            .problems(404, 409)
            .handle(this::track),
        Endpoint.get("/meetings")
            .id("listMeetings")
            .tag("meetings")
            .summary("Meetings, newest first.")
            .roles(CallerRole.USER)
            .scope(ApiScope.MEETINGS)
            .query(
                "status",
                Schema.oneOf(MeetingStatus.class).describe("Only meetings of this status."))
            .query(
                "platform",
                Schema.oneOf(MeetingPlatform.class).describe("Only meetings of this platform."))
            .paged()
            .answers(200, Schema.slice(MEETING))
            .handle(this::list),
        Endpoint.get("/meetings/{id}")
            .id("getMeeting")
            .tag("meetings")
            .summary("One meeting.")
            .roles(CallerRole.USER)
            .scope(ApiScope.MEETINGS)
            .answers(200, MEETING)
            .handle(request -> Response.ok(visible(request))),
        Endpoint.patch("/meetings/{id}")
            .id("describeMeeting")
            .tag("meetings")
            .summary("Replace the free-form data of a meeting; its outcome stays.")
            .roles(CallerRole.USER)
            .scope(ApiScope.MEETINGS)
            .body(Schema.object().required("data", Schema.anyObject()))
            .answers(200, MEETING)
            .handle(this::describe),
        Endpoint.get("/meetings/{id}/timeline")
            .id("meetingTimeline")
            .tag("meetings")
            .summary("The events of a meeting in order, without transcript segments.")
            .roles(CallerRole.USER)
            .scope(ApiScope.MEETINGS)
            .query("order", Schema.oneOf("oldest", "newest").describe("oldest unless set."))
            .paged()
            .answers(200, Schema.slice(Schema.of(MeetingHistoryEntry.class)))
            .handle(this::timeline));
  }

  private Response track(Request request) {
    TrackRequest body = request.body(TrackRequest.class);
    String nativeId =
        MeetingSelector.of(
                body.platform(),
                body.nativeMeetingId().or(body::platformSpecificId),
                body.meetingUrl(),
                hosts)
            .nativeId();
    var _ =
        request
            .action()
            .after(
                Map.of(
                    "user_id", request.actingUser(),
                    "platform", body.platform(),
                    "native_meeting_id", nativeId));
    request.permitOneMore(QuotaName.MEETINGS);
    request.permitOneMore(QuotaName.STORED_BYTES);
    return Response.created(
        store.track(
            request.actingUser(),
            body.platform(),
            nativeId,
            body.data().filter(JsonNode::isObject),
            request.caller().scope()));
  }

  private Response list(Request request) {
    PageRequest pageRequest = request.page();
    List<Meeting> meetings =
        store.list(
            new MeetingStore.MeetingFilter(
                request.visibleUsers(),
                request
                    .query("status")
                    .map(value -> MeetingStatus.valueOf(value.toUpperCase(Locale.ROOT))),
                request.query("platform"),
                pageRequest
                    .cursor()
                    .map(cursor -> Cursor.parseLongs(cursor, 1)[0])
                    .orElse(Long.MAX_VALUE),
                pageRequest.limit() + 1));
    Optional<String> next =
        meetings.size() > pageRequest.limit()
            ? Optional.of(Cursor.of(meetings.get(pageRequest.limit() - 1).id()))
            : Optional.empty();
    return Response.ok(new Page<>(meetings.stream().limit(pageRequest.limit()).toList(), next));
  }

  private Response describe(Request request) {
    Meeting meeting = visible(request);
    var _ =
        request
            .action()
            .target("meeting", meeting.id())
            .before(Map.of("data", meeting.data()))
            .after(Map.of("data", request.json().path("data")));
    return Response.ok(
        store
            .describe(meeting.id(), request.json().path("data"))
            .orElseThrow(() -> Problem.notFound("meeting")));
  }

  private Response timeline(Request request) {
    Meeting meeting = visible(request);
    PageRequest pageRequest = request.page();
    Optional<Long> reached = pageRequest.cursor().map(cursor -> Cursor.parseLongs(cursor, 1)[0]);
    EventFilter filter =
        EventFilter.subject(MeetingStatusChange.subject(meeting.id()))
            .without(MeetingTranscriptStore.TYPE);
    List<JournalEvent> events =
        request.query("order").filter("newest"::equals).isPresent()
            ? journal.readBefore(filter, reached.orElse(Long.MAX_VALUE), pageRequest.limit() + 1)
            : journal.read(filter, reached.orElse(0L), pageRequest.limit() + 1);
    Optional<String> next =
        events.size() > pageRequest.limit()
            ? Optional.of(Cursor.of(events.get(pageRequest.limit() - 1).seq()))
            : Optional.empty();
    return Response.ok(
        new Page<>(
            events.stream()
                .limit(pageRequest.limit())
                .map(
                    journalEvent ->
                        new MeetingHistoryEntry(
                            journalEvent.seq(),
                            journalEvent.type(),
                            journalEvent.at(),
                            journalEvent.subject(),
                            journalEvent.data()))
                .toList(),
            next));
  }

  private Meeting visible(Request request) {
    return store
        .find(request.pathId("id"))
        .filter(meeting -> request.sees(meeting.userId()))
        .orElseThrow(() -> Problem.notFound("meeting"));
  }
}
