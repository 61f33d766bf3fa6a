package io.convoke.server.bots;

import io.convoke.engine.json.Json;
import io.convoke.engine.sql.ResultRow;
import io.convoke.server.bots.BotOutcome.OutcomeAttribution;
import io.convoke.server.meetings.Meeting;
import io.convoke.server.meetings.MeetingStatus;
import io.convoke.server.meetings.MeetingSubstatus;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * The columns of a meeting row that bots need. A snapshot: every write compares {@code version}.
 *
 * @param stateEnteredAt by the database's clock, like every time here
 * @param spec the settings that the user requested
 * @param ending why the server is ending it, while it does
 * @param lobbySince since when it waited for admission, if it said that it did
 * @param queueTicket how long it may wait, or might, for a free place
 */
record BotRow(
    Meeting meeting,
    String connectionId,
    int attempt,
    long version,
    Instant stateEnteredAt,
    Optional<Instant> stopRequestedAt,
    Optional<Instant> admittedAt,
    Optional<Instant> startAt,
    BotSpec spec,
    BotProtocol protocol,
    Optional<String> ending,
    Optional<Instant> lobbySince,
    BotLimits limits,
    Optional<BotEndRequest> endRequest,
    BotProgress progress,
    Optional<BotQueueTicket> queueTicket) {

  static final String COLUMNS =
      Meeting.COLUMNS
          + ", connection_id, attempt, version, state_entered_at, stop_requested_at, admitted_at,"
          + " bot, bot_protocol, ending, max_lifetime_ms, silence_timeout_ms, end_requested_at,"
          + " end_reason, progress, progressed_at, stalled_at, spoke_at, queued_at";

  static BotRow of(ResultRow resultRow) {
    return new BotRow(
        Meeting.of(resultRow),
        resultRow.maybeText("connection_id").orElse(""),
        resultRow.intAt("attempt"),
        resultRow.longAt("version"),
        resultRow.instant("state_entered_at"),
        resultRow.maybeInstant("stop_requested_at"),
        resultRow.maybeInstant("admitted_at"),
        resultRow.maybeInstant("start_at"),
        Json.read(resultRow.json("bot"), BotSpec.class),
        BotProtocol.of(resultRow.text("bot_protocol")),
        resultRow.maybeText("ending"),
        resultRow.maybeInstant("lobby_since"),
        BotLimits.of(resultRow),
        BotEndRequest.of(resultRow),
        BotProgress.of(resultRow),
        BotQueueTicket.of(resultRow));
  }

  long id() {
    return meeting.id();
  }

  MeetingStatus status() {
    return meeting.status();
  }

  Optional<String> handle() {
    return meeting.botContainerId();
  }

  /** Whether it waits for admission now. */
  boolean inLobby() {
    return meeting.substatus().filter(MeetingSubstatus.AWAITING_ADMISSION::equals).isPresent();
  }

  /** Whether it waits for a free place now: then its start is the end of that wait. */
  boolean queued() {
    return meeting.substatus().filter(MeetingSubstatus.QUEUED::equals).isPresent();
  }

  boolean stopRequested() {
    return stopRequestedAt.isPresent();
  }

  /** While the bot is live, only a heartbeat changes it. */
  Instant lastSign() {
    return meeting.updatedAt();
  }

  BotState state() {
    return new BotState(status(), stopRequested(), admittedAt.isPresent(), outcome());
  }

  /** The same for every launch call of this attempt, and never used by another one. */
  String containerName() {
    return ContainerNames.of(id(), attempt, connectionId);
  }

  private Optional<BotOutcome> outcome() {
    if (!status().terminal()) {
      return Optional.empty();
    }
    JsonNode outcome = meeting.data().path("outcome");
    JsonNode exitCode = outcome.path("exit_code");
    return Optional.of(
        new BotOutcome(
            outcome.path("reason").asString("unknown"),
            attribution(outcome.path("attribution").asString("us")),
            exitCode.isNumber() ? Optional.of(exitCode.asInt()) : Optional.empty(),
            MeetingStatus.of(outcome.path("stage").asString("failed"))));
  }

  private static OutcomeAttribution attribution(String value) {
    return OutcomeAttribution.valueOf(value.toUpperCase(Locale.ROOT));
  }
}
