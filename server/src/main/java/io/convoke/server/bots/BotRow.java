package io.convoke.server.bots;

import io.convoke.engine.json.Json;
import io.convoke.engine.sql.ResultRow;
import io.convoke.server.bots.BotOutcome.OutcomeAttribution;
import io.convoke.server.meetings.Meeting;
import io.convoke.server.meetings.MeetingStatus;
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
    Optional<String> ending) {

  static final String COLUMNS =
      Meeting.COLUMNS
          + ", connection_id, attempt, version, state_entered_at, stop_requested_at, admitted_at,"
          + " start_at, bot, bot_protocol, ending";

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
        resultRow.maybeText("ending"));
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
