package io.convoke.server.bots;

import io.convoke.server.http.Caller;
import io.convoke.server.http.CallerRole;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.Problem;
import io.convoke.server.http.Request;
import io.convoke.server.http.Response;
import io.convoke.server.http.Schema;
import io.convoke.server.meetings.ChatStore;
import io.convoke.server.meetings.MeetingTranscriptStore;
import io.convoke.server.platform.BotRoomReport;
import io.convoke.server.platform.Participant;
import io.convoke.server.platform.PresenceEvent;
import io.convoke.server.platform.PresenceEvent.PresenceEventKind;
import io.convoke.server.platform.RoomPresence;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * {@code /callback/...}: the requests of bots, with the token of their launch
 * (docs/spec/contract.md, Bot callbacks).
 */
final class CallbackEndpoints {
  private static final Schema CONNECTION = Schema.printable(1, 64);
  private static final Schema REASON = Schema.printable(1, 200);

  private static final Schema SETTING = Schema.printable(1, 64);
  private static final int SETTINGS_MAX = 20;

  /** Participants, joins and leaves in one report. */
  private static final int PEOPLE_MAX = 2000;

  /** Messages in one report. */
  private static final int CHAT_MAX = 100;

  /** Shorter than the idle timeout of common proxies: 30 s and more. */
  private static final int WAIT_MAX_S = 25;

  private static final Schema HEARD =
      Schema.object()
          .required("meeting_id", Schema.id())
          .required("status", Schema.text())
          .required(
              "commands",
              Schema.array(
                  Schema.object()
                      .required("id", Schema.text())
                      .required("action", Schema.oneOf("leave", "reconfigure", "speak", "chat"))))
          .named("CallbackAnswer");

  private final CallbackService reports;

  CallbackEndpoints(CallbackService reports) {
    this.reports = reports;
  }

  private record StartedBody(String connectionId, long meetingId) {}

  private record PlainCallbackBody(String connectionId) {}

  private record StatusBody(String connectionId, Optional<String> reason) {}

  private record ExitedBody(String connectionId, int exitCode, Optional<String> reason) {}

  private record CommandAckBody(
      String connectionId,
      String commandId,
      Optional<List<String>> applied,
      Optional<List<CommandResult.SettingNotApplied>> notApplied) {}

  private record HeartbeatBody(String connectionId, Optional<HeartbeatProgress> progress) {}

  private record TranscriptBody(String connectionId, List<TranscriptSegmentBody> segments) {}

  private record TranscriptSegmentBody(
      double start,
      double end,
      String text,
      Optional<String> speaker,
      Optional<String> language,
      Optional<Boolean> completed,
      Optional<Double> levelDb) {

    MeetingTranscriptStore.StoredSegment toSegment() {
      return new MeetingTranscriptStore.StoredSegment(
          start,
          end,
          text,
          speaker,
          language,
          completed.orElse(true),
          Optional.empty(),
          List.of(),
          levelDb);
    }
  }

  private record ChatReportBody(String connectionId, List<ChatMessageBody> messages) {}

  private record ChatMessageBody(
      String id, Optional<String> sender, String text, Instant at, Optional<Boolean> fromBot) {
    ChatStore.ReportedMessage toMessage() {
      return new ChatStore.ReportedMessage(id, sender, text, at, fromBot.orElse(false));
    }
  }

  private record ParticipantSeenBody(
      String id,
      String type,
      String sessionId,
      Optional<String> userId,
      Optional<String> userName,
      Optional<Instant> joinedAt,
      Instant at) {

    PresenceEvent event() {
      Instant joined = joinedAt.orElse(at);
      return type.equals("joined")
          ? event(PresenceEventKind.JOINED, Optional.of(joined), joined)
          : event(PresenceEventKind.LEFT, joinedAt, at);
    }

    private PresenceEvent event(
        PresenceEventKind presenceEventKind, Optional<Instant> begin, Instant when) {
      return new PresenceEvent(
          id, presenceEventKind, "", sessionId, userId, userName, begin, when, false, true);
    }
  }

  private record ParticipantSnapshotBody(Instant at, List<Participant> participants) {}

  private record ParticipantsBody(
      String connectionId,
      Optional<List<ParticipantSeenBody>> events,
      Optional<ParticipantSnapshotBody> everybody) {}

  List<Endpoint> endpoints() {
    return List.of(
        callback("/callback/started", "botStarted", "The bot's process runs.")
            .body(
                body()
                    .required("meeting_id", Schema.id())
                    .optional("container_id", Schema.printable(1, 255)))
            .handle(this::started),
        callback(
                "/callback/awaiting_admission",
                "botAwaitingAdmission",
                "The bot waits for admission to the meeting.")
            .description(
                "Its meeting shows substatus awaiting_admission until it is let in. Later, or"
                    + " repeated, it changes nothing.")
            .body(body())
            .handle(this::awaitingAdmission),
        callback("/callback/joined", "botJoined", "The bot was admitted to the meeting.")
            .body(body())
            .handle(this::joined),
        callback("/callback/heartbeat", "botHeartbeat", "The bot is alive.")
            .description(
                "With progress it also says that it works: audio_seconds of sound received, which"
                    + " grow as long as the bot is connected to the meeting.")
            .body(body().optional("progress", progress()))
            .handle(this::heartbeat),
        describe(Endpoint.patch("/callback/status"), "botStatus", "The bot has begun to leave.")
            .body(body().required("status", Schema.oneOf("stopping")).optional("reason", REASON))
            .handle(this::status),
        callback("/callback/exited", "botExited", "The bot exits; its last call.")
            .body(
                body()
                    .required("exit_code", Schema.integer(-1000, 1000))
                    .optional("reason", REASON))
            .handle(this::exited),
        callback("/callback/ack", "botAck", "The bot acknowledges a command.")
            .description("Of a reconfigure also says which settings it applied, and which not.")
            .body(
                body()
                    .required("command_id", Schema.printable(1, 64))
                    .optional("applied", Schema.array(SETTING, SETTINGS_MAX))
                    .optional(
                        "not_applied",
                        Schema.array(
                            Schema.object().required("setting", SETTING).required("reason", REASON),
                            SETTINGS_MAX)))
            .problems(404)
            .handle(this::ack),
        describe(
                Endpoint.get("/callback/commands"),
                "botCommands",
                "Unacknowledged commands of the bot; waits for one if there is none (long poll).")
            .description(
                "For bots without Redis: answers at once when a command is not acknowledged,"
                    + " otherwise when one is given, when the meeting is over (410), or when `wait`"
                    + " seconds have passed. It is no heartbeat.")
            .query("wait", Schema.integer(0, WAIT_MAX_S).byDefault(0).describe("Seconds to wait."))
            .handle(this::commands),
        callback("/callback/transcript", "botTranscript", "Transcript segments from the bot.")
            .description(
                "An event transcript.segments has what a batch adds or changes. A segment is"
                    + " known by its start and speaker: sent again it changes nothing, unless it"
                    + " was a draft.")
            .body(body().required("segments", Schema.array(segment(), 500)))
            .handle(this::transcript),
        callback("/callback/chat", "botChat", "Messages of the chat that the bot has read.")
            .description(
                "With from_bot those that it has written. A message is known by its id in the"
                    + " session: sent again it changes nothing. Event chat.message has each.")
            .body(body().required("messages", Schema.array(message(), CHAT_MAX)))
            .handle(this::chat),
        Endpoint.get("/callback/speech/{command_id}")
            .id("botSpeech")
            .tag("callbacks")
            .summary("The WAV file of a command speak with audio_bytes, until it is acknowledged.")
            .roles(CallerRole.BOT)
            .path("command_id", Schema.printable(1, 64).describe("The id of the command."))
            .answers(200, "audio/wav")
            .problems(404, 410)
            .handle(
                request ->
                    Response.bytes(
                        "audio/wav", reports.speech(bot(request), request.path("command_id")))),
        callback(
                "/callback/participants",
                "botParticipants",
                "Participants that the bot sees in the room.")
            .body(
                body()
                    .optional("events", Schema.array(seen(), PEOPLE_MAX))
                    .optional(
                        "everybody",
                        Schema.object()
                            .required("at", Schema.instant())
                            .required("participants", Schema.array(person(), PEOPLE_MAX))))
            .handle(this::participants));
  }

  private Response started(Request request) {
    StartedBody body = request.body(StartedBody.class);
    Caller.BotCaller botCaller = bot(request, body.connectionId());
    if (body.meetingId() != botCaller.meetingId()) {
      throw Problem.forbidden("This token is for another meeting.");
    }
    return Response.ok(reports.report(botCaller, new BotEvent.BotStarted()));
  }

  private Response awaitingAdmission(Request request) {
    Caller.BotCaller botCaller = bot(request, request.body(PlainCallbackBody.class).connectionId());
    return Response.ok(reports.report(botCaller, new BotEvent.BotAwaitingAdmission()));
  }

  private Response joined(Request request) {
    Caller.BotCaller botCaller = bot(request, request.body(PlainCallbackBody.class).connectionId());
    return Response.ok(reports.report(botCaller, new BotEvent.BotJoined()));
  }

  private Response heartbeat(Request request) throws InterruptedException {
    HeartbeatBody body = request.body(HeartbeatBody.class);
    return Response.ok(reports.heartbeat(bot(request, body.connectionId()), body.progress()));
  }

  private Response status(Request request) {
    StatusBody body = request.body(StatusBody.class);
    return Response.ok(
        reports.report(bot(request, body.connectionId()), new BotEvent.BotLeaving(body.reason())));
  }

  private Response exited(Request request) {
    ExitedBody body = request.body(ExitedBody.class);
    return Response.ok(
        reports.report(
            bot(request, body.connectionId()),
            new BotEvent.BotExited(body.exitCode(), body.reason())));
  }

  private Response ack(Request request) {
    CommandAckBody body = request.body(CommandAckBody.class);
    CommandResult result = new CommandResult(body.applied(), body.notApplied());
    return Response.ok(reports.ack(bot(request, body.connectionId()), body.commandId(), result));
  }

  private Response commands(Request request) throws InterruptedException {
    Duration wait = Duration.ofSeconds(request.queryLong("wait").orElse(0L));
    return Response.ok(reports.commands(bot(request), wait));
  }

  private Response transcript(Request request) {
    TranscriptBody body = request.body(TranscriptBody.class);
    List<MeetingTranscriptStore.StoredSegment> segments =
        body.segments().stream().map(TranscriptSegmentBody::toSegment).toList();
    return Response.ok(reports.transcript(bot(request, body.connectionId()), segments));
  }

  private Response chat(Request request) {
    ChatReportBody body = request.body(ChatReportBody.class);
    List<ChatStore.ReportedMessage> messages =
        body.messages().stream().map(ChatMessageBody::toMessage).toList();
    return Response.ok(reports.chat(bot(request, body.connectionId()), messages));
  }

  private Response participants(Request request) {
    ParticipantsBody body = request.body(ParticipantsBody.class);
    BotRoomReport report =
        new BotRoomReport(
            body.events().orElse(List.of()).stream().map(ParticipantSeenBody::event).toList(),
            body.everybody()
                .map(all -> new RoomPresence.RoomPresenceComplete(all.participants(), all.at())));
    return Response.ok(reports.participants(bot(request, body.connectionId()), report));
  }

  private static Caller.BotCaller bot(Request request, String connectionId) {
    Caller.BotCaller botCaller = bot(request);
    if (!botCaller.connectionId().equals(connectionId)) {
      throw Problem.forbidden("This token is for another session.");
    }
    return botCaller;
  }

  private static Caller.BotCaller bot(Request request) {
    return switch (request.caller()) {
      case Caller.BotCaller botCaller -> botCaller;
      case Caller.UserCaller _,
          Caller.AdminCaller _,
          Caller.InternalCaller _,
          Caller.AnonymousCaller _ ->
          throw Problem.forbidden();
    };
  }

  private static Endpoint.Builder callback(String path, String id, String summary) {
    return describe(Endpoint.post(path), id, summary);
  }

  private static Endpoint.Builder describe(Endpoint.Builder builder, String id, String summary) {
    return builder
        .id(id)
        .tag("callbacks")
        .summary(summary)
        .roles(CallerRole.BOT)
        .answers(200, HEARD)
        .problems(409, 410);
  }

  private static Schema body() {
    return Schema.object().required("connection_id", CONNECTION);
  }

  private static Schema progress() {
    return Schema.object()
        .optional("audio_seconds", Schema.number(0, 1e7))
        .optional("participants", Schema.integer(0, 100_000))
        .optional("last_speech_at", Schema.instant());
  }

  private static Schema seen() {
    return Schema.object()
        .required("id", Schema.printable(1, 128))
        .required("type", Schema.oneOf("joined", "left"))
        .required("session_id", Schema.printable(1, 255))
        .optional("user_id", Schema.printable(1, 255))
        .optional("user_name", Schema.printable(1, 255))
        .optional("joined_at", Schema.instant())
        .required("at", Schema.instant());
  }

  private static Schema person() {
    return Schema.object()
        .required("session_id", Schema.printable(1, 255))
        .optional("user_id", Schema.printable(1, 255))
        .optional("user_name", Schema.printable(1, 255))
        .required("joined_at", Schema.instant());
  }

  private static Schema message() {
    return Schema.object()
        .required("id", Schema.printable(1, 128))
        .optional("sender", Schema.printable(1, 255))
        .required("text", Schema.text(1, Schema.MAX_TEXT))
        .required("at", Schema.instant())
        .optional("from_bot", Schema.bool().byDefault(false));
  }

  private static Schema segment() {
    return Schema.object()
        .required("start", Schema.number(0, 1e7))
        .required("end", Schema.number(0, 1e7))
        .required("text", Schema.text(1, 4096))
        .optional("speaker", Schema.printable(1, 255))
        .optional("language", Schema.printable(1, 35))
        .optional(
            "completed",
            Schema.bool()
                .byDefault(true)
                .describe(
                    "False for a draft: a later segment with its start and speaker replaces it."))
        .optional(
            "level_db",
            Schema.number(-127, 0)
                .describe("How loud the words are, in dBov (RFC 6464); 0 is the loudest."));
  }
}
