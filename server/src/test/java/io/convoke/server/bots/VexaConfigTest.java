package io.convoke.server.bots;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.agent.AutomaticLeave;
import io.convoke.agent.BotConfig;
import io.convoke.engine.json.Json;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** When a bot of Vexa's image leaves by itself. */
class VexaConfigTest {
  private static final VexaConfig FROM_12_ON =
      new VexaConfig(true, Optional.empty(), Optional.empty(), false);

  @Test
  void aSilenceShorterThanTenMinutesEndsNoBotOfRelease12() {
    assertThat(closed(AutomaticLeave.DEFAULT))
        .as("the image takes the time for a silence, with everyone there")
        .isEqualTo(leave(300_000, 120_000, 600_000));
    assertThat(closed(rules(Duration.ofMinutes(30)))).isEqualTo(leave(300_000, 120_000, 1_800_000));
    assertThat(closed(rules(Duration.ZERO))).isEqualTo(leave(300_000, 120_000, 600_000));
    assertThat(
            Json.read(VexaConfig.NONE.open(config(AutomaticLeave.DEFAULT))).path("automaticLeave"))
        .as("earlier releases look who is there")
        .isEqualTo(leave(300_000, 120_000, 60_000));
  }

  @Test
  void aBotOfRelease12StaysForAsLongASilenceAsItsUserAllows() {
    assertThat(closed(AutomaticLeave.DEFAULT, silence(Duration.ofHours(1))))
        .isEqualTo(leave(300_000, 120_000, 3_600_000));
    assertThat(closed(rules(Duration.ofMinutes(30)), silence(Duration.ofMinutes(2))))
        .as("the server asks it to leave before")
        .isEqualTo(leave(300_000, 120_000, 1_800_000));
  }

  @Test
  void aBotOfRelease12StaysForAsLongAsAUserMayLetItRun() {
    assertThat(FROM_12_ON.environment(BotRulesConfig.DEFAULT))
        .containsExactlyEntriesOf(Map.of("BOT_MAX_ACTIVE_MS", "86400000"));
    assertThat(FROM_12_ON.environment(limits(Duration.ofHours(48), Duration.ofHours(24))))
        .containsExactlyEntriesOf(Map.of("BOT_MAX_ACTIVE_MS", "172800000"));
    assertThat(FROM_12_ON.environment(limits(Duration.ofHours(8), Duration.ofDays(60))))
        .as("a longer timer would fire at once")
        .containsExactlyEntriesOf(Map.of("BOT_MAX_ACTIVE_MS", "2147483647"));
    assertThat(VexaConfig.NONE.environment(BotRulesConfig.DEFAULT)).isEmpty();
  }

  @Test
  void theConfigurationOfRelease12IsAsciiToo() {
    assertThat(FROM_12_ON.closed(config(AutomaticLeave.DEFAULT), BotLimits.NONE))
        .matches("\\p{ASCII}+")
        .contains("J\\u00F6rg");
  }

  private static JsonNode closed(AutomaticLeave rules) {
    return closed(rules, BotLimits.NONE);
  }

  private static JsonNode closed(AutomaticLeave rules, BotLimits limits) {
    return Json.read(FROM_12_ON.closed(config(rules), limits)).path("automaticLeave");
  }

  private static BotLimits silence(Duration most) {
    return new BotLimits(Optional.empty(), Optional.of(most));
  }

  private static JsonNode leave(long waitingRoom, long noOneJoined, long everyoneLeft) {
    return Json.read(
        Json.write(
            Map.of(
                "waitingRoomTimeout", waitingRoom,
                "noOneJoinedTimeout", noOneJoined,
                "everyoneLeftTimeout", everyoneLeft)));
  }

  private static AutomaticLeave rules(Duration everyoneLeft) {
    return new AutomaticLeave(Duration.ofMinutes(5), Duration.ofMinutes(2), everyoneLeft);
  }

  private static BotRulesConfig limits(Duration lifetime, Duration limit) {
    BotRulesConfig others = BotRulesConfig.DEFAULT;
    return new BotRulesConfig(
        lifetime,
        limit,
        others.noProgress(),
        others.noProgressAfter(),
        others.queueTimeout(),
        others.queueMax());
  }

  private static BotConfig config(AutomaticLeave rules) {
    return new BotConfig(
        42,
        "c0f1a7d2",
        1,
        "google_meet",
        "abc-defg-hij",
        Optional.of("https://meet.google.com/abc-defg-hij"),
        Optional.empty(),
        "Jörg",
        Optional.empty(),
        "transcribe",
        "cvb_1_1_token",
        "http://convoke.internal:8080",
        Optional.of("redis://redis:6379"),
        "convoke-bot-42",
        Duration.ofSeconds(30),
        rules,
        false);
  }
}
