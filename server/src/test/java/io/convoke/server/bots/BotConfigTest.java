package io.convoke.server.bots;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.agent.BotConfig;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** A change of a running bot's settings is told, confirmed and shown, with what does not hold. */
class BotConfigTest {
  private final BotsTestServer testServer = BotsTestServer.open(new FakeLauncher());
  private final long user = testServer.user(Optional.empty());

  @AfterEach
  void close() {
    testServer.close();
  }

  @Test
  void theBotConfirmsWhatItAppliedAndWhatNot() {
    long meeting = starting();
    BotConfig bot = testServer.configOf(meeting);
    JsonNode told =
        configure(Map.of("meeting_id", meeting, "language", "de", "bot_name", "Scribe"));
    assertThat(told.path("last_change").path("settings").path("language").asString())
        .isEqualTo("de");
    assertThat(told.path("last_change").path("acknowledged_at").isNull()).isTrue();
    String command = told.path("last_change").path("command_id").asString();
    testServer
        .callback(
            bot,
            "ack",
            Map.of(
                "command_id",
                command,
                "applied",
                List.of("language"),
                "not_applied",
                List.of(Map.of("setting", "bot_name", "reason", "it is in the room already"))))
        .expect(200);
    testServer.callback(bot, "ack", Map.of("command_id", command)).expect(200);
    JsonNode change = status(meeting).path("last_change");
    assertThat(change.path("acknowledged_at").isString()).isTrue();
    assertThat(change.path("applied")).hasSize(1);
    assertThat(change.path("not_applied").path(0).path("setting").asString()).isEqualTo("bot_name");
    assertThat(change.path("not_applied").path(0).path("reason").asString())
        .isEqualTo("it is in the room already");
    assertThat(acknowledged(meeting).path("not_applied").path(0).path("setting").asString())
        .as("the event has it too")
        .isEqualTo("bot_name");
  }

  @Test
  void rulesOfTheServerHoldAtOnceWithoutTheBot() {
    long meeting = starting();
    JsonNode before = status(meeting);
    JsonNode after =
        configure(Map.of("meeting_id", meeting, "automatic_leave", Map.of("max_lifetime", 7200)));
    assertThat(after.path("pending_commands")).isEmpty();
    assertThat(
            Duration.between(
                Instant.parse(after.path("life_ends_at").asString()),
                Instant.parse(before.path("life_ends_at").asString())))
        .isEqualTo(Duration.ofHours(6));
    assertThat(testServer.row(meeting).limits().silence()).isEmpty();
    configure(Map.of("meeting_id", meeting, "automatic_leave", Map.of("silence_timeout", 60)));
    assertThat(testServer.row(meeting).limits())
        .isEqualTo(
            new BotLimits(Optional.of(Duration.ofHours(2)), Optional.of(Duration.ofMinutes(1))));
  }

  @Test
  void aChangeOfNothingIsRefused() {
    long meeting = starting();
    testServer.user(user, "PUT", "/bots/config", Map.of("meeting_id", meeting)).expect(400);
  }

  private JsonNode configure(Map<String, Object> body) {
    return testServer.user(user, "PUT", "/bots/config", body).expect(202).json();
  }

  private JsonNode status(long meeting) {
    return testServer.get(user, "/bots/status?meeting_id=" + meeting).expect(200).json();
  }

  private JsonNode acknowledged(long meeting) {
    return testServer.database.read(
        tx ->
            tx.sql("select data from events where type = ? and subject = ?")
                .with(BotCommandQueue.ACKNOWLEDGED, "meeting:" + meeting)
                .one(row -> row.json("data")));
  }

  private long starting() {
    long meeting = testServer.start(user, "room").expect(201).json().path("id").asLong();
    testServer.started(testServer.configOf(meeting)).expect(200);
    return meeting;
  }
}
