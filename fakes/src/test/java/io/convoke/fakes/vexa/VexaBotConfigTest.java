package io.convoke.fakes.vexa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** The fake refuses what the image's schema refuses, and is as patient as the image. */
class VexaBotConfigTest {

  @ParameterizedTest
  @EnumSource
  void whatTheImageTakesIsTaken(VexaRelease vexaRelease) {
    ObjectNode given = config();
    if (vexaRelease == VexaRelease.V0_12) {
      given.remove("botManagerCallbackUrl");
    }
    VexaBotConfig config = VexaBotConfig.parse(given.toString(), vexaRelease);
    assertThat(config.meetingId()).isEqualTo(42);
    assertThat(config.waitingRoomMs()).isEqualTo(300_000);
    assertThat(config.hasMeetingUrl()).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "platform, daily",
    "platform,",
    "botName,",
    "token,",
    "connectionId,",
    "nativeMeetingId,",
    "redisUrl,",
    "meeting_id, words",
    "meetingUrl, nowhere",
    "meetingUrl,",
    "botManagerCallbackUrl, nowhere",
    "automaticLeave,",
    "language, 7"
  })
  void whatTheImageRefusesIsRefused(String field, @Nullable String value) {
    ObjectNode config = config();
    if (value == null) {
      config.remove(field);
    } else if (value.equals("7")) {
      config.put(field, 7);
    } else {
      config.put(field, value);
    }
    assertThatThrownBy(() -> VexaBotConfig.parse(config.toString(), VexaRelease.V0_6))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(field);
  }

  @ParameterizedTest
  @CsvSource({"task, transcribe", "passcode, 7", "container, x", "redis_url, x"})
  void theClosedSchemaRefusesWhatItLacks(String field, String value) {
    ObjectNode config = config();
    config.remove("botManagerCallbackUrl");
    config.put(field, value);
    if (field.equals("task")) {
      assertThat(VexaBotConfig.parse(config.toString(), VexaRelease.V0_12).meetingId())
          .isEqualTo(42);
    } else {
      assertThatThrownBy(() -> VexaBotConfig.parse(config.toString(), VexaRelease.V0_12))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(field);
    }
  }

  @Test
  void release12StaysForFourHoursOrAsItsEnvironmentSays() {
    ObjectNode given = config();
    given.remove("botManagerCallbackUrl");
    VexaBotConfig config = VexaBotConfig.parse(given.toString(), VexaRelease.V0_12);
    assertThat(config.silenceMs()).isEqualTo(60_000);
    assertThat(config.longestStayMs(Optional.empty())).isEqualTo(14_400_000);
    assertThat(config.longestStayMs(Optional.of("28800000"))).isEqualTo(28_800_000);
    assertThat(config.longestStayMs(Optional.of("1")))
        .as("a minute more than it waits to be let in")
        .isEqualTo(360_000);
    given
        .putObject("automaticLeave")
        .put("waitingRoomTimeout", 300_000)
        .put("noOneJoinedTimeout", 120_000)
        .put("everyoneLeftTimeout", 0);
    assertThat(VexaBotConfig.parse(given.toString(), VexaRelease.V0_12).silenceMs())
        .isEqualTo(600_000);
  }

  private static ObjectNode config() {
    ObjectNode config =
        JsonMapper.shared()
            .valueToTree(
                Map.of(
                    "platform", "google_meet",
                    "botName", "Scribe",
                    "token", "t",
                    "connectionId", "c",
                    "nativeMeetingId", "abc-defg-hij",
                    "redisUrl", "redis://127.0.0.1:6379",
                    "container_name", "convoke-bot-42",
                    "meeting_id", 42,
                    "botManagerCallbackUrl", "http://c/bots/internal/callback/t/exited",
                    "meetingApiCallbackUrl", "http://c/bots/internal/callback/t/exited"));
    config.putNull("meetingUrl");
    config
        .putObject("automaticLeave")
        .put("waitingRoomTimeout", 300_000)
        .put("noOneJoinedTimeout", 120_000)
        .put("everyoneLeftTimeout", 60_000);
    return config;
  }
}
