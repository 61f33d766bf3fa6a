package io.convoke.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.crypto.SecretBox;
import io.convoke.server.bots.BotsConfig;
import io.convoke.server.config.ServerConfig;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What the settings of a server mean for its bots. */
class BotSettingsTest {
  private static final Map<String, String> STORES =
      Map.of(
          "CONVOKE_DATABASE_URL", "postgresql://convoke:pass@db/convoke",
          "CONVOKE_REDIS_URL", "redis://:the-password-of-the-fleet@redis:6379",
          "CONVOKE_SECRET_KEY", Base64.getEncoder().encodeToString(SecretBox.newKey()));

  @Test
  void noBotIsGivenTheRedisOfTheServers() {
    assertThat(terms(Map.of()).redisUrl()).isEmpty();
  }

  @Test
  void aBotIsGivenExactlyTheRedisThatIsNamedForBots() {
    String url = "redis://bots:p%40ss@redis.internal:6380/2?timeout=5s";
    assertThat(terms(Map.of("CONVOKE_BOT_REDIS_URL", url)).redisUrl()).contains(url);
  }

  @Test
  void theSweeperLooksAsOftenAsTheShortestTimeoutDemands() {
    assertThat(terms(Map.of()).sweepInterval()).isEqualTo(Duration.ofMinutes(1));
    assertThat(terms(Map.of("CONVOKE_BOTS_STARTING_TIMEOUT", "6s")).sweepInterval())
        .isEqualTo(Duration.ofSeconds(6));
    assertThat(terms(Map.of("CONVOKE_BOTS_SWEEP_INTERVAL", "1s")).sweepInterval())
        .isEqualTo(Duration.ofSeconds(1));
    assertThat(terms(Map.of("CONVOKE_BOTS_SWEEP_INTERVAL", "5m")).sweepInterval())
        .isEqualTo(Duration.ofMinutes(5));
  }

  @Test
  void theOwnAddressIsAUrlWhateverTheListenersIs() {
    assertThat(callback("0.0.0.0")).isEqualTo("http://127.0.0.1:8080");
    assertThat(callback("convoke.internal")).isEqualTo("http://convoke.internal:8080");
    assertThat(callback("::")).isEqualTo("http://[::1]:8080");
    assertThat(callback("[::]")).isEqualTo("http://[::1]:8080");
    assertThat(callback("::1")).isEqualTo("http://[::1]:8080");
    assertThat(callback("2001:db8::5")).isEqualTo("http://[2001:db8::5]:8080");
    assertThat(callback("[2001:db8::5]")).isEqualTo("http://[2001:db8::5]:8080");
  }

  private static String callback(String host) {
    return terms(Map.of("CONVOKE_HOST", host)).callbackUrl();
  }

  private static BotsConfig terms(Map<String, String> more) {
    Map<String, String> texts = new HashMap<>(STORES);
    texts.putAll(more);
    return BotsConfig.of(ServerConfig.of(texts), 8080);
  }
}
