package io.convoke.server.bots;

import io.convoke.engine.json.Json;
import io.convoke.server.http.Problem;
import io.convoke.server.http.QuotaName;
import io.convoke.server.http.Request;
import io.convoke.server.http.Schema;
import io.convoke.server.meetings.AllowedMeetingHosts;
import io.convoke.server.meetings.MeetingPlatform;
import io.convoke.server.meetings.MeetingSelector;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** One bot that a user asks for: the body of {@code POST /bots/start}. */
record BotStartBody(
    String platform,
    Optional<String> nativeMeetingId,
    Optional<String> platformSpecificId,
    Optional<String> meetingUrl,
    Optional<String> botName,
    Optional<String> language,
    Optional<String> task,
    Optional<String> passcode,
    Optional<String> startAt,
    Optional<Boolean> queue,
    Optional<Double> queueTimeout,
    Optional<AutomaticLeaveBody> automaticLeave,
    Optional<JsonNode> data) {
  static final Schema NATIVE_ID = Schema.printable(1, 255);
  static final Schema LANGUAGE = Schema.printable(1, 35);
  static final Schema TASK = Schema.oneOf("transcribe", "translate");
  static final Schema BOT_NAME = Schema.printable(1, 100);
  private static final Schema SECONDS = Schema.number(0.1, 86_400);

  /** Bounds that the settings narrow. */
  private static final Schema LIFETIME = Schema.number(0.1, 31_536_000);

  private static final JsonNode EXAMPLE =
      Json.read(
          """
          {"platform": "daily", "native_meeting_id": "stand-up", "bot_name": "Notes",
           "automatic_leave": {"silence_timeout": 600}}
          """);

  private static final String MEETING_URL =
      "Where to join, and without native_meeting_id also which meeting: an https address of the"
          + " platform's own hosts, or of one that the operator lists.";

  /** All rules by which a bot leaves: those that it applies, and those of the server. */
  record AutomaticLeaveBody(
      Optional<Double> waitingRoomTimeout,
      Optional<Double> noOneJoinedTimeout,
      Optional<Double> everyoneLeftTimeout,
      Optional<Double> silenceTimeout,
      Optional<Double> maxLifetime) {
    BotSpec.LeaveRules ofBot() {
      return new BotSpec.LeaveRules(waitingRoomTimeout, noOneJoinedTimeout, everyoneLeftTimeout);
    }

    /**
     * The rules of the server.
     *
     * @throws Problem 400 for a lifetime beyond the operator's limit
     */
    BotLimits ofServer(BotRulesConfig terms) {
      Optional<Duration> lifetime = maxLifetime.map(AutomaticLeaveBody::duration);
      if (lifetime.filter(it -> it.compareTo(terms.maxLifetimeLimit()) > 0).isPresent()) {
        throw Problem.badRequest(
            "automatic_leave.max_lifetime",
            "is more than " + terms.maxLifetimeLimit().toSeconds() + " s");
      }
      return new BotLimits(lifetime, silenceTimeout.map(AutomaticLeaveBody::duration));
    }

    private static Duration duration(double seconds) {
      return Duration.ofMillis(Math.round(seconds * 1000));
    }
  }

  static Schema schema() {
    return Schema.object()
        .required("platform", Schema.oneOf(MeetingPlatform.class))
        .optional("native_meeting_id", NATIVE_ID)
        .optional("platform_specific_id", NATIVE_ID)
        .optional("meeting_url", Schema.anyUrl().describe(MEETING_URL))
        .optional("bot_name", BOT_NAME)
        .optional("language", LANGUAGE)
        .optional("task", TASK)
        .optional("passcode", Schema.printable(1, 100))
        .optional("start_at", Schema.instant())
        .optional(
            "queue",
            Schema.bool()
                .byDefault(false)
                .describe("Without a free place, wait for one instead of 429."))
        .optional(
            "queue_timeout", SECONDS.describe("Seconds to wait for a place; then it has failed."))
        .optional(
            "automatic_leave",
            serverRules()
                .optional("waiting_room_timeout", SECONDS)
                .optional("no_one_joined_timeout", SECONDS)
                .optional("everyone_left_timeout", SECONDS))
        .optional("data", Schema.anyObject())
        .example(EXAMPLE);
  }

  /** The rules that may be changed while the bot runs. */
  static Schema serverRules() {
    return Schema.object()
        .optional(
            "silence_timeout",
            SECONDS.describe("Seconds without speech after which the bot is asked to leave."))
        .optional(
            "max_lifetime", LIFETIME.describe("Seconds after which the bot is asked to leave."));
  }

  /**
   * What to reserve for the acting user of the request, within its quotas.
   *
   * @throws Problem for what cannot be reserved
   */
  AdmissionControl.ReservationRequest toReserve(
      Request request, BotService service, BotRulesConfig terms, AllowedMeetingHosts hosts) {
    MeetingSelector meeting = meeting(hosts);
    boolean waits = queue.orElse(false);
    if (waits && startAt.isPresent()) {
      throw Problem.badRequest("queue", "is for bots that start now, without start_at");
    }
    AdmissionControl.ReservationRequest wanted =
        new AdmissionControl.ReservationRequest(
            request.actingUser(),
            platform,
            meeting.nativeId(),
            meeting.key(),
            new BotSpec(
                meeting.url(),
                botName,
                language,
                task,
                passcode.or(meeting::passcode),
                automaticLeave.map(AutomaticLeaveBody::ofBot)),
            automaticLeave.map(rules -> rules.ofServer(terms)).orElse(BotLimits.NONE),
            startAt.map(BotStartBody::instant).flatMap(service::startTime),
            Optional.of(queueTimeout.map(AutomaticLeaveBody::duration).orElse(terms.queueTimeout()))
                .filter(_ -> waits),
            data.filter(JsonNode::isObject),
            request.caller().scope());
    request.permitOneMore(QuotaName.STORED_BYTES);
    if (wanted.startAt().isPresent()) {
      request.permitOneMore(QuotaName.SCHEDULES);
    }
    return wanted;
  }

  /** Which bot this is, for the audit journal. */
  Map<String, Object> audited(Request request, AllowedMeetingHosts hosts) {
    return Map.of(
        "user_id", request.actingUser(),
        "platform", platform,
        "native_meeting_id", meeting(hosts).nativeId());
  }

  /**
   * A time of a request.
   *
   * @throws Problem 400 for one that the schema accepts and Java does not, such as a leap second
   */
  static Instant instant(String text) {
    try {
      return OffsetDateTime.parse(text).toInstant();
    } catch (DateTimeParseException unknown) {
      throw Problem.badRequest("start_at", "is not a valid time");
    }
  }

  private MeetingSelector meeting(AllowedMeetingHosts hosts) {
    return MeetingSelector.of(
        platform, nativeMeetingId.or(() -> platformSpecificId), meetingUrl, hosts);
  }
}
