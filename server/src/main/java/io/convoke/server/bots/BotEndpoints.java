package io.convoke.server.bots;

import io.convoke.engine.json.Json;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.server.http.ApiScope;
import io.convoke.server.http.CallerRole;
import io.convoke.server.http.Cursor;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.OperatorRole;
import io.convoke.server.http.Page;
import io.convoke.server.http.PageRequest;
import io.convoke.server.http.Problem;
import io.convoke.server.http.Request;
import io.convoke.server.http.Response;
import io.convoke.server.http.Schema;
import io.convoke.server.meetings.AllowedMeetingHosts;
import io.convoke.server.meetings.Meeting;
import io.convoke.server.meetings.MeetingPlatform;
import io.convoke.server.meetings.MeetingSelector;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@code /bots/...}: the requests of users (docs/spec/contract.md, Bots). */
final class BotEndpoints {
  private static final Logger log = LoggerFactory.getLogger(BotEndpoints.class);

  /** Bots of one batch. */
  private static final int BATCH_MAX = 50;

  private static final Schema STATUS = Schema.of(BotService.BotStatusReport.class);

  private final BotStore store;
  private final BotService service;
  private final BotDeadlines botDeadlines;
  private final AllowedMeetingHosts hosts;
  private final BotRulesConfig terms;

  BotEndpoints(
      BotStore store,
      BotService service,
      BotDeadlines botDeadlines,
      AllowedMeetingHosts hosts,
      BotRulesConfig terms) {
    this.terms = terms;
    this.hosts = hosts;
    this.store = store;
    this.service = service;
    this.botDeadlines = botDeadlines;
  }

  private record BotSelector(
      Optional<Long> meetingId,
      Optional<String> platform,
      Optional<String> nativeMeetingId,
      Optional<String> platformSpecificId) {}

  private record StopRequest(
      Optional<Long> meetingId,
      Optional<String> platform,
      Optional<String> nativeMeetingId,
      Optional<String> platformSpecificId,
      Optional<Boolean> kill) {
    BotSelector which() {
      return new BotSelector(meetingId, platform, nativeMeetingId, platformSpecificId);
    }
  }

  private record LimitRequest(
      Optional<Long> meetingId,
      Optional<String> platform,
      Optional<String> nativeMeetingId,
      Optional<String> platformSpecificId,
      String startAt) {
    BotSelector which() {
      return new BotSelector(meetingId, platform, nativeMeetingId, platformSpecificId);
    }
  }

  private record ReconfigureRequest(
      Optional<Long> meetingId,
      Optional<String> platform,
      Optional<String> nativeMeetingId,
      Optional<String> platformSpecificId,
      Optional<String> language,
      Optional<String> task,
      Optional<String> botName,
      Optional<BotStartBody.AutomaticLeaveBody> automaticLeave) {
    BotSelector which() {
      return new BotSelector(meetingId, platform, nativeMeetingId, platformSpecificId);
    }
  }

  private record BatchBody(List<BotStartBody> bots) {}

  /**
   * The answer to one bot of a batch.
   *
   * @param status that {@code POST /bots/start} would have answered
   */
  record BotBatchItem(
      int status, Optional<Meeting> meeting, Optional<Map<String, Object>> problem) {
    static BotBatchItem refused(Problem problem, String traceId) {
      return new BotBatchItem(
          problem.status(), Optional.empty(), Optional.of(problem.body(traceId)));
    }
  }

  /** The answers to a batch, in its order. */
  record BotBatchReply(List<BotBatchItem> items) {}

  /** One line of the table of deadlines, as the API shows it. */
  record DeadlineRuleView(
      String status, String owner, String from, long timeoutMs, String overdue) {}

  /** The list with the table that its deadlines come from. */
  record BotStatusList(
      List<BotService.BotStatusReport> items,
      Optional<String> nextCursor,
      List<DeadlineRuleView> rules) {}

  List<Endpoint> endpoints() {
    return List.of(
        Endpoint.post("/bots/start")
            .id("startBot")
            .tag("bots")
            .summary("Send a bot into a meeting.")
            .description(
                "A room of Daily belongs to one user, by default the first who uses it: 403 with"
                    + " code room_claimed for others.")
            .roles(CallerRole.USER)
            .scope(ApiScope.BOTS)
            .body(BotStartBody.schema())
            .creates()
            .answers(201, Schema.of(Meeting.class))
            .problems(404, 409, 429)
            .handle(this::start),
        Endpoint.post("/bots/batch")
            .id("startBots")
            .tag("bots")
            .summary("Send several bots, each with an answer of its own.")
            .description(
                "In the order of the request; what one is refused does not stop the others.")
            .roles(CallerRole.USER)
            .scope(ApiScope.BOTS)
            .body(Schema.object().required("bots", Schema.array(BotStartBody.schema(), BATCH_MAX)))
            .creates()
            .answers(200, Schema.of(BotBatchReply.class))
            .handle(this::startAll),
        Endpoint.post("/bots/stop")
            .id("stopBot")
            .tag("bots")
            .summary("Ask a bot to leave. A bot that has ended is unchanged.")
            .description(
                "With kill it is not given the usual time to leave: its launcher ends it now, and"
                    + " the row follows once that is confirmed.")
            .roles(CallerRole.USER)
            .scope(ApiScope.BOTS)
            .query("user_id", Schema.id().describe("For admins: the user to act for."))
            .body(
                which()
                    .optional("kill", Schema.bool().byDefault(false))
                    .example(Json.read("{\"meeting_id\": 42}")))
            .answers(202, STATUS)
            .problems(404)
            .handle(this::stop),
        Endpoint.post("/bots/{meeting_id}/abandon")
            .id("abandonBot")
            .tag("bots")
            .summary("End the row of a bot whose host is gone for good.")
            .description(
                "Its launcher is not asked. The bot's place and its meeting are free at once; the"
                    + " outcome is failed with host_lost. A bot that comes back hears 410 and is"
                    + " ended by the launcher that finds it. One that has ended is unchanged.")
            .roles(CallerRole.ADMIN)
            .operators(OperatorRole.OPERATOR)
            .answers(200, STATUS)
            .problems(404)
            .handle(this::abandon),
        Endpoint.put("/bots/config")
            .id("configureBot")
            .tag("bots")
            .summary("Change a bot's settings while it is in the meeting.")
            .description(
                "The bot is told of its language, task or name, and confirms what it applied:"
                    + " last_change of its status, and event bot.command_acknowledged. Rules of"
                    + " automatic_leave hold at once.")
            .roles(CallerRole.USER)
            .scope(ApiScope.BOTS)
            .query("user_id", Schema.id().describe("For admins: the user to act for."))
            .body(
                which()
                    .optional("language", BotStartBody.LANGUAGE)
                    .optional("task", BotStartBody.TASK)
                    .optional("bot_name", BotStartBody.BOT_NAME)
                    .optional("automatic_leave", BotStartBody.serverRules())
                    .example(Json.read("{\"meeting_id\": 42, \"language\": \"de\"}")))
            .answers(202, STATUS)
            .problems(404, 409, 429)
            .handle(this::configure),
        Endpoint.put("/bots/schedule")
            .id("rescheduleBot")
            .tag("bots")
            .summary("Move the start of a bot that waits for its start_at.")
            .description("A past time starts it at once. To cancel it, stop it.")
            .roles(CallerRole.USER)
            .scope(ApiScope.BOTS)
            .query("user_id", Schema.id().describe("For admins: the user to act for."))
            .body(
                which()
                    .required("start_at", Schema.instant())
                    .example(
                        Json.read("{\"meeting_id\": 42, \"start_at\": \"2026-04-13T10:30:00Z\"}")))
            .answers(200, STATUS)
            .problems(404, 409)
            .handle(this::schedule),
        Endpoint.get("/bots/active")
            .id("activeBots")
            .tag("bots")
            .summary("Live bots: reserved, starting, active, stopping.")
            .roles(CallerRole.USER)
            .scope(ApiScope.BOTS)
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
            .roles(CallerRole.USER)
            .scope(ApiScope.BOTS)
            .query("meeting_id", Schema.id().describe("The meeting of the one bot."))
            .query(
                "platform",
                Schema.oneOf(MeetingPlatform.class)
                    .describe("With native_meeting_id: the one bot."))
            .query(
                "native_meeting_id", BotStartBody.NATIVE_ID.describe("With platform: the one bot."))
            .query("live", Schema.bool().describe("The bots of the list that have not ended."))
            .paged()
            .answers(200, Schema.anyOf(STATUS, Schema.of(BotStatusList.class)))
            .problems(404)
            .handle(this::status));
  }

  private static Schema which() {
    return Schema.object()
        .optional("meeting_id", Schema.id())
        .optional("platform", Schema.oneOf(MeetingPlatform.class))
        .optional("native_meeting_id", BotStartBody.NATIVE_ID)
        .optional("platform_specific_id", BotStartBody.NATIVE_ID);
  }

  private Response start(Request request) {
    BotStartBody body = request.body(BotStartBody.class);
    var _ = request.action().after(body.audited(request, hosts));
    return Response.created(service.start(body.toReserve(request, service, terms, hosts)));
  }

  private Response startAll(Request request) {
    BatchBody body = request.body(BatchBody.class);
    var _ = request.action().after(Map.of("bots", body.bots().size()));
    return Response.ok(
        new BotBatchReply(body.bots().stream().map(bot -> startOne(request, bot)).toList()));
  }

  private BotBatchItem startOne(Request request, BotStartBody bot) {
    try {
      Meeting meeting = service.start(bot.toReserve(request, service, terms, hosts));
      return new BotBatchItem(201, Optional.of(meeting), Optional.empty());
    } catch (Problem problem) {
      return BotBatchItem.refused(problem, request.traceId());
    } catch (StoreUnavailable unavailable) {
      log.warn("a bot of a batch is not started: {}", unavailable.getMessage());
      return BotBatchItem.refused(Problem.unavailable("The database"), request.traceId());
    }
  }

  private Response stop(Request request) {
    StopRequest body = request.body(StopRequest.class);
    BotRow row = changing(request, body.which(), body);
    return Response.accepted(
        service.stop(row.id(), body.kill().orElse(false), request.caller().scope()));
  }

  private Response abandon(Request request) {
    BotRow row =
        store.find(request.pathId("meeting_id")).orElseThrow(() -> Problem.notFound("meeting"));
    var _ =
        request
            .action()
            .target("meeting", row.id())
            .before(row.meeting())
            .after(Map.of("outcome", OutcomeClassifier.HOST_LOST));
    return Response.ok(service.abandon(row.id(), request.caller().scope()));
  }

  private Response configure(Request request) {
    ReconfigureRequest body = request.body(ReconfigureRequest.class);
    BotService.BotSettingsChange botSettingsChange =
        new BotService.BotSettingsChange(
            body.language(),
            body.task(),
            body.botName(),
            body.automaticLeave().map(rules -> rules.ofServer(terms)).orElse(BotLimits.NONE));
    if (botSettingsChange.empty()) {
      throw Problem.badRequest(
          "language", "one of language, task, bot_name and automatic_leave is needed");
    }
    BotRow row = changing(request, body.which(), body);
    return Response.accepted(
        service.reconfigure(row.id(), botSettingsChange, request.caller().scope()));
  }

  private Response schedule(Request request) {
    LimitRequest body = request.body(LimitRequest.class);
    BotRow row = changing(request, body.which(), body);
    return Response.ok(
        service.reschedule(
            row.id(), BotStartBody.instant(body.startAt()), request.caller().scope()));
  }

  private Response active(Request request) {
    PageRequest pageRequest = request.page();
    List<BotRow> rows = list(request, true);
    return Response.ok(
        new Page<>(
            rows.stream().limit(pageRequest.limit()).map(BotRow::meeting).toList(),
            next(rows, pageRequest)));
  }

  private Response status(Request request) {
    Optional<Long> meetingId = request.queryLong("meeting_id");
    Optional<String> platform = request.query("platform");
    Optional<String> nativeId = request.query("native_meeting_id");
    if (meetingId.isPresent() || platform.isPresent() || nativeId.isPresent()) {
      BotRow row = find(request, new BotSelector(meetingId, platform, nativeId, Optional.empty()));
      return Response.ok(service.status(row));
    }
    PageRequest pageRequest = request.page();
    List<BotRow> rows = list(request, request.query("live").filter("true"::equals).isPresent());
    return Response.ok(
        new BotStatusList(
            service.statuses(rows.stream().limit(pageRequest.limit()).toList()),
            next(rows, pageRequest),
            botDeadlines.rules().stream()
                .map(
                    deadlineRule ->
                        new DeadlineRuleView(
                            deadlineRule.status().wireName(),
                            deadlineRule.owner(),
                            deadlineRule.from(),
                            deadlineRule.timeout().toMillis(),
                            deadlineRule.overdue()))
                .toList()));
  }

  private List<BotRow> list(Request request, boolean liveOnly) {
    PageRequest pageRequest = request.page();
    long before =
        pageRequest.cursor().map(cursor -> Cursor.parseLongs(cursor, 1)[0]).orElse(Long.MAX_VALUE);
    return store.list(
        new BotStore.BotFilter(request.visibleUsers(), liveOnly, before, pageRequest.limit() + 1));
  }

  private static Optional<String> next(List<BotRow> rows, PageRequest pageRequest) {
    return rows.size() > pageRequest.limit()
        ? Optional.of(Cursor.of(rows.get(pageRequest.limit() - 1).id()))
        : Optional.empty();
  }

  /** The bot that the request changes, for the audit journal too. */
  private BotRow changing(Request request, BotSelector botSelector, Record asked) {
    BotRow row = find(request, botSelector);
    var _ = request.action().target("meeting", row.id()).before(row.meeting()).after(asked);
    return row;
  }

  private BotRow find(Request request, BotSelector botSelector) {
    Optional<String> nativeId = botSelector.nativeMeetingId().or(botSelector::platformSpecificId);
    Optional<BotRow> row;
    if (botSelector.meetingId().isPresent()) {
      row = store.find(botSelector.meetingId().get());
    } else if (botSelector.platform().isPresent() && nativeId.isPresent()) {
      String platform = botSelector.platform().get();
      String typed = nativeId.get();
      row =
          store.newest(
              request.visibleUsers(),
              platform,
              List.of(
                  MeetingSelector.of(platform, Optional.of(typed), Optional.empty(), hosts)
                      .nativeId(),
                  typed));
    } else {
      throw Problem.badRequest(
          "meeting_id", "is needed, or platform and native_meeting_id together");
    }
    return row.filter(found -> request.sees(found.meeting().userId()))
        .orElseThrow(() -> Problem.notFound("meeting with a bot"));
  }
}
