package io.convoke.server.bots;

import io.convoke.server.http.Answer;
import io.convoke.server.http.Caller;
import io.convoke.server.http.Cursor;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.Page;
import io.convoke.server.http.Problem;
import io.convoke.server.http.Request;
import io.convoke.server.http.Role;
import io.convoke.server.http.Schema;
import io.convoke.server.http.Slice;
import io.convoke.server.meetings.Meeting;
import io.convoke.server.meetings.MeetingChoice;
import io.convoke.server.meetings.MeetingHosts;
import io.convoke.server.meetings.MeetingName;
import io.convoke.server.meetings.Platform;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** {@code /bots/...}: what users call (CONTRACT.md, Bots). */
final class BotEndpoints {
  private static final Schema NATIVE_ID = Schema.printable(1, 255);
  private static final String MEETING_URL =
      "Where to join, and without native_meeting_id also which meeting: an https address of the"
          + " platform's own hosts, or of one that the operator lists.";
  private static final Schema LANGUAGE = Schema.printable(1, 35);
  private static final Schema TASK = Schema.oneOf("transcribe", "translate");
  private static final Schema SECONDS = Schema.number(0.1, 86_400);
  private static final Schema STATUS = Schema.of(BotService.Status.class);

  private final BotStore store;
  private final BotService service;
  private final Deadlines deadlines;
  private final MeetingHosts hosts;

  BotEndpoints(BotStore store, BotService service, Deadlines deadlines, MeetingHosts hosts) {
    this.hosts = hosts;
    this.store = store;
    this.service = service;
    this.deadlines = deadlines;
  }

  private record Start(
      String platform,
      Optional<String> nativeMeetingId,
      Optional<String> platformSpecificId,
      Optional<String> meetingUrl,
      Optional<String> botName,
      Optional<String> language,
      Optional<String> task,
      Optional<String> passcode,
      Optional<String> startAt,
      Optional<BotWish.Leave> automaticLeave,
      Optional<JsonNode> data) {}

  private record Which(
      Optional<Long> meetingId,
      Optional<String> platform,
      Optional<String> nativeMeetingId,
      Optional<String> platformSpecificId) {}

  private record Stop(
      Optional<Long> meetingId,
      Optional<String> platform,
      Optional<String> nativeMeetingId,
      Optional<String> platformSpecificId,
      Optional<Boolean> kill) {
    Which which() {
      return new Which(meetingId, platform, nativeMeetingId, platformSpecificId);
    }
  }

  private record Schedule(
      Optional<Long> meetingId,
      Optional<String> platform,
      Optional<String> nativeMeetingId,
      Optional<String> platformSpecificId,
      String startAt) {
    Which which() {
      return new Which(meetingId, platform, nativeMeetingId, platformSpecificId);
    }
  }

  private record Config(
      Optional<Long> meetingId,
      Optional<String> platform,
      Optional<String> nativeMeetingId,
      Optional<String> platformSpecificId,
      Optional<String> language,
      Optional<String> task,
      Optional<String> botName) {
    Which which() {
      return new Which(meetingId, platform, nativeMeetingId, platformSpecificId);
    }
  }

  /** One line of the table of deadlines, as the API shows it. */
  record Rule(String status, String owner, String from, long timeoutMs, String overdue) {}

  /** The list with the table that its deadlines come from. */
  record StatusList(List<BotService.Status> items, Optional<String> nextCursor, List<Rule> rules) {}

  List<Endpoint> endpoints() {
    return List.of(
        Endpoint.post("/bots/start")
            .id("startBot")
            .tag("bots")
            .summary("Send a bot into a meeting.")
            .roles(Role.USER)
            .body(startBody())
            .creates()
            .answers(201, Schema.of(Meeting.class))
            .problems(404, 409, 429)
            .handle(this::start),
        Endpoint.post("/bots/stop")
            .id("stopBot")
            .tag("bots")
            .summary("Ask a bot to leave. A bot that has ended is unchanged.")
            .description(
                "With kill it is not given the usual time to leave: its launcher ends it now, and"
                    + " the row follows once that is confirmed.")
            .roles(Role.USER)
            .query("user_id", Schema.id())
            .body(which().optional("kill", Schema.bool().byDefault(false)))
            .answers(202, STATUS)
            .problems(404)
            .handle(this::stop),
        Endpoint.put("/bots/config")
            .id("configureBot")
            .tag("bots")
            .summary("Change a bot's language, task or name while it is in the meeting.")
            .roles(Role.USER)
            .query("user_id", Schema.id())
            .body(
                which()
                    .optional("language", LANGUAGE)
                    .optional("task", TASK)
                    .optional("bot_name", Schema.printable(1, 100)))
            .answers(202, STATUS)
            .problems(404, 409, 429)
            .handle(this::configure),
        Endpoint.put("/bots/schedule")
            .id("rescheduleBot")
            .tag("bots")
            .summary("Move the start of a bot that waits for its start_at.")
            .description("A time that has come starts it at once. To cancel it, stop it.")
            .roles(Role.USER)
            .query("user_id", Schema.id())
            .body(which().required("start_at", Schema.instant()))
            .answers(200, STATUS)
            .problems(404, 409)
            .handle(this::schedule),
        Endpoint.get("/bots/active")
            .id("activeBots")
            .tag("bots")
            .summary("The bots that live: reserved, starting, active, stopping.")
            .roles(Role.USER)
            .paged()
            .answers(200, Schema.slice(Schema.of(Meeting.class)))
            .handle(this::active),
        Endpoint.get("/bots/status")
            .id("botStatuses")
            .tag("bots")
            .summary("The status of bots, with the owner and the deadline of each state.")
            .description(
                "With meeting_id, or platform and native_meeting_id, one bot; without, the list"
                    + " with the table of deadlines.")
            .roles(Role.USER)
            .query("meeting_id", Schema.id())
            .query("platform", Schema.oneOf(Platform.class))
            .query("native_meeting_id", NATIVE_ID)
            .query("live", Schema.bool().describe("Of the list, those alone that have not ended."))
            .paged()
            .answers(200, Schema.anyOf(STATUS, Schema.of(StatusList.class)))
            .problems(404)
            .handle(this::status));
  }

  private static Schema startBody() {
    return Schema.object()
        .required("platform", Schema.oneOf(Platform.class))
        .optional("native_meeting_id", NATIVE_ID)
        .optional("platform_specific_id", NATIVE_ID)
        .optional("meeting_url", Schema.anyUrl().describe(MEETING_URL))
        .optional("bot_name", Schema.printable(1, 100))
        .optional("language", LANGUAGE)
        .optional("task", TASK)
        .optional("passcode", Schema.printable(1, 100))
        .optional("start_at", Schema.instant())
        .optional(
            "automatic_leave",
            Schema.object()
                .optional("waiting_room_timeout", SECONDS)
                .optional("no_one_joined_timeout", SECONDS)
                .optional("everyone_left_timeout", SECONDS))
        .optional("data", Schema.anyObject());
  }

  private static Schema which() {
    return Schema.object()
        .optional("meeting_id", Schema.id())
        .optional("platform", Schema.oneOf(Platform.class))
        .optional("native_meeting_id", NATIVE_ID)
        .optional("platform_specific_id", NATIVE_ID);
  }

  private Answer start(Request request) {
    Start body = request.body(Start.class);
    MeetingChoice meeting =
        MeetingChoice.of(
            body.platform(),
            body.nativeMeetingId().or(body::platformSpecificId),
            body.meetingUrl(),
            hosts);
    Admission.Ask ask =
        new Admission.Ask(
            request.actingUser(),
            body.platform(),
            meeting.nativeId(),
            new BotWish(
                meeting.url(),
                body.botName(),
                body.language(),
                body.task(),
                body.passcode().or(meeting::passcode),
                body.automaticLeave()),
            body.startAt().map(BotEndpoints::instant).flatMap(service::startTime),
            body.data().filter(JsonNode::isObject),
            request.caller().scope());
    return Answer.created(service.start(ask));
  }

  private Answer stop(Request request) {
    Stop body = request.body(Stop.class);
    BotRow row = find(request, body.which());
    return Answer.accepted(
        service.stop(row.id(), body.kill().orElse(false), request.caller().scope()));
  }

  private Answer configure(Request request) {
    Config body = request.body(Config.class);
    BotService.Change change = new BotService.Change(body.language(), body.task(), body.botName());
    if (change.settings().isEmpty()) {
      throw Problem.badRequest("language", "one of language, task and bot_name is needed");
    }
    BotRow row = find(request, body.which());
    return Answer.accepted(service.reconfigure(row.id(), change, request.caller().scope()));
  }

  private Answer schedule(Request request) {
    Schedule body = request.body(Schedule.class);
    BotRow row = find(request, body.which());
    return Answer.ok(
        service.reschedule(row.id(), instant(body.startAt()), request.caller().scope()));
  }

  private Answer active(Request request) {
    Page page = request.page();
    List<BotRow> rows = list(request, true);
    return Answer.ok(
        new Slice<>(
            rows.stream().limit(page.limit()).map(BotRow::meeting).toList(), next(rows, page)));
  }

  private Answer status(Request request) {
    Optional<Long> meetingId = request.queryLong("meeting_id");
    Optional<String> platform = request.query("platform");
    Optional<String> nativeId = request.query("native_meeting_id");
    if (meetingId.isPresent() || platform.isPresent() || nativeId.isPresent()) {
      BotRow row = find(request, new Which(meetingId, platform, nativeId, Optional.empty()));
      return Answer.ok(service.status(row));
    }
    Page page = request.page();
    List<BotRow> rows = list(request, request.query("live").filter("true"::equals).isPresent());
    return Answer.ok(
        new StatusList(
            service.statuses(rows.stream().limit(page.limit()).toList()),
            next(rows, page),
            deadlines.rules().stream()
                .map(
                    rule ->
                        new Rule(
                            rule.status().word(),
                            rule.owner(),
                            rule.from(),
                            rule.timeout().toMillis(),
                            rule.overdue()))
                .toList()));
  }

  private List<BotRow> list(Request request, boolean liveOnly) {
    Page page = request.page();
    long before =
        page.cursor().map(cursor -> Cursor.parseLongs(cursor, 1)[0]).orElse(Long.MAX_VALUE);
    return store.list(
        new BotStore.Filter(request.ownerFilter(), liveOnly, before, page.limit() + 1));
  }

  private static Optional<String> next(List<BotRow> rows, Page page) {
    return rows.size() > page.limit()
        ? Optional.of(Cursor.of(rows.get(page.limit() - 1).id()))
        : Optional.empty();
  }

  private BotRow find(Request request, Which which) {
    Optional<String> nativeId = which.nativeMeetingId().or(which::platformSpecificId);
    Optional<BotRow> row;
    if (which.meetingId().isPresent()) {
      row = store.find(which.meetingId().get());
    } else if (which.platform().isPresent() && nativeId.isPresent()) {
      String platform = which.platform().get();
      String typed = nativeId.get();
      row =
          store.newest(
              owner(request), platform, List.of(MeetingName.canonical(platform, typed), typed));
    } else {
      throw Problem.badRequest(
          "meeting_id", "is needed, or platform and native_meeting_id together");
    }
    return row.filter(found -> request.caller().sees(found.meeting().userId()))
        .orElseThrow(() -> Problem.notFound("meeting"));
  }

  private static Optional<Long> owner(Request request) {
    return request.caller() instanceof Caller.User user
        ? Optional.of(user.userId())
        : request.queryLong("user_id");
  }

  /** A time that the schema accepts and Java does not, such as a leap second. */
  private static Instant instant(String text) {
    try {
      return OffsetDateTime.parse(text).toInstant();
    } catch (DateTimeParseException unknown) {
      throw Problem.badRequest("start_at", "is not a time that can be waited for");
    }
  }
}
