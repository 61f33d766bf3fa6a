package io.convoke.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.server.config.ServerConfig;
import io.convoke.server.http.ContractClient;
import io.convoke.simulator.Simulator;
import io.convoke.simulator.SimulatorConfig;
import io.convoke.simulator.state.JoinResult;
import io.convoke.simulator.state.LeaveReason;
import io.convoke.simulator.state.RoomRequest;
import io.convoke.simulator.state.Visitor;
import io.convoke.simulator.stores.EmbeddedRedis;
import io.convoke.simulator.stores.LocalStores;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The whole way on a platform that nobody can ask: a room, the reference bot in it, the rows. */
@Tag("nightly")
class PresenceEverywhereTest {
  private static final String ADMIN = "the-admins-token";
  private static final Duration SOON = Duration.ofSeconds(60);

  @TempDir private Path folder;
  private final Simulator sim = Simulator.start(SimulatorConfig.defaults());
  private final EmbeddedRedis redis = LocalStores.forTests().ownRedis();

  @AfterEach
  void close() {
    sim.close();
    redis.close();
  }

  @Test
  void aBotTellsWhoIsInAGoogleMeetUntilItLeaves() {
    ServerConfig serverConfig =
        ServerConfig.of(
            Map.of(
                "CONVOKE_PORT",
                "0",
                "CONVOKE_DATABASE_URL",
                MigratedDatabase.url(),
                "CONVOKE_REDIS_URL",
                redis.url(),
                "CONVOKE_SECRET_KEY",
                "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
                "CONVOKE_ADMIN_TOKEN",
                ADMIN,
                "CONVOKE_MEETING_HOSTS",
                sim.url().getAuthority(),
                // The test asks again and again.
                "CONVOKE_RATE_LIMIT",
                "100000"));
    var _ = sim.world().ensure(RoomRequest.named("standup"));
    String ada = join("Ada");
    try (App app = App.start(serverConfig, EnumSet.allOf(NodeRole.class), folder)) {
      ContractClient admin = ContractClient.of(app.url()).with("X-Admin-API-Key", ADMIN);
      long user =
          admin
              .post("/admin/users", Map.of("email", "a@example.org"))
              .expect(201)
              .json()
              .path("id")
              .asLong();
      String key =
          admin
              .post("/admin/users/" + user + "/tokens", Map.of())
              .expect(201)
              .json()
              .path("token")
              .asString();
      ContractClient api = ContractClient.of(app.url()).with("X-API-Key", key);
      Map<String, Object> wanted =
          Map.of(
              "platform", "google_meet",
              "native_meeting_id", "abc-defg-hij",
              "bot_name", "Scribe",
              "meeting_url", sim.roomUrl("standup").toString());
      long meeting = api.post("/bots/start", wanted).expect(201).json().path("id").asLong();

      JsonNode both = until(api, meeting, it -> it.path("num_clients").asInt() == 2);
      assertThat(both.path("items").findValuesAsString("user_name"))
          .containsExactlyInAnyOrder("Ada", "Scribe");
      assertThat(both.path("source").asString()).isEqualTo("bot");

      String _ = join("Bob");
      JsonNode _ = until(api, meeting, it -> it.path("num_clients").asInt() == 3);
      assertThat(sim.world().leave("standup", ada, LeaveReason.LEFT)).isTrue();
      JsonNode left = until(api, meeting, it -> it.path("num_clients").asInt() == 2);
      assertThat(left.path("items").findValuesAsString("user_name"))
          .containsExactlyInAnyOrder("Scribe", "Bob");

      api.post("/bots/stop", Map.of("meeting_id", meeting)).expect(202);
      JsonNode over = until(api, meeting, it -> it.path("num_clients").asInt() == 0);
      assertThat(over.path("items")).isEmpty();
    }
  }

  private String join(String name) {
    return switch (sim.world().join("standup", Visitor.named(name))) {
      case JoinResult.JoinedMeeting joinedMeeting -> joinedMeeting.session().sessionId();
      case JoinResult other -> throw new AssertionError(other);
    };
  }

  private static JsonNode until(ContractClient api, long meeting, Predicate<JsonNode> fits) {
    long deadline = System.nanoTime() + SOON.toNanos();
    JsonNode seen = participants(api, meeting);
    while (!fits.test(seen)) {
      assertThat(System.nanoTime() - deadline).as(seen.toString()).isNegative();
      seen = participants(api, meeting);
      LockSupport.parkNanos(10_000_000);
    }
    return seen;
  }

  private static JsonNode participants(ContractClient api, long meeting) {
    return api.get("/meetings/" + meeting + "/participants?active=true").expect(200).json();
  }
}
