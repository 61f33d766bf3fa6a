package io.convoke.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What a bot is given, and how little its author writes. */
class BotConfigTest {
  @Test
  void aCompleteBotFitsInSixtyLines() throws IOException {
    Path source = Path.of("src/test/java/io/convoke/agent/ExampleBot.java");
    assertThat(Files.readAllLines(source)).hasSizeLessThan(60);
  }

  @Test
  void theConfigurationSurvivesItsOwnJson() {
    try (FakeControlPlane plane = new FakeControlPlane()) {
      BotConfig config =
          plane.config(
              Optional.of("http://x/rooms/standup"), Optional.empty(), AutomaticLeave.DEFAULT);
      assertThat(BotConfig.parse(config.json())).isEqualTo(config);
      assertThat(config.toString()).doesNotContain("the-token");
      assertThat(
              Json.read(config.json()).path("automaticLeave").path("waitingRoomTimeout").asLong())
          .isEqualTo(300_000);
    }
  }

  /** The environment of a bot has no locale; a JVM without one reads nothing but ASCII there. */
  @Test
  void itsTextIsAsciiWhateverTheNamesAre() {
    try (FakeControlPlane plane = new FakeControlPlane()) {
      BotConfig config =
          plane.config(
              Optional.of("http://x/rooms/Größe 🤖"), Optional.empty(), AutomaticLeave.DEFAULT);
      assertThat(config.json()).matches("\\p{ASCII}+");
      assertThat(BotConfig.parse(config.json())).isEqualTo(config);
    }
  }
}
