package io.convoke.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.crypto.AccessTokenSealer;
import io.convoke.engine.crypto.SecretBox;
import io.convoke.engine.json.Json;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.fakes.janus.FakeJanus;
import io.convoke.fakes.janus.JanusServer;
import io.convoke.fakes.janus.JanusServer.JanusJoin;
import io.convoke.fakes.orchestrator.RequestFaults.RequestFault.RefuseRequest;
import io.convoke.server.config.ServerConfig;
import io.convoke.server.http.ContractClient;
import io.convoke.server.platform.RateLimiter;
import io.convoke.server.platform.janus.JanusAdmin;
import io.convoke.server.platform.janus.JanusAdmin.JanusReply;
import io.convoke.server.platform.janus.JanusConfig;
import io.convoke.server.reseal.SecretResealer;
import io.convoke.simulator.stores.LocalStores;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Base64;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Rooms that a Janus has while the secret key rotates: people join them, and pods record them. */
@Tag("nightly")
class RoomKeyRotationTest {
  private static final String ADMIN = "the-admins-token";
  private static final Map<String, Object> ENTERS =
      Map.of("request", "join", "ptype", "publisher", "display", "Ada");
  private static final Map<String, Object> HEARS =
      Map.of("request", "join", "ptype", "subscriber", "streams", List.of(Map.of("feed", "x")));

  private final String before = key();
  private final String after = key();
  private final String databaseUrl = MigratedDatabase.url();
  private final Database database =
      Database.open(DatabaseUrl.parse(databaseUrl), 2, "test", Migrations.SCHEMAS);
  private final FakeJanus janus = new FakeJanus();
  private final JanusAdmin janusAdmin =
      new JanusAdmin(
          new JanusConfig(
              janus.adminUrl(),
              JanusServer.ADMIN_SECRET,
              JanusServer.ADMIN_KEY,
              JanusConfig.DEFAULT_TIMEOUT),
          RateLimiter.unlimited());

  @TempDir private Path folder;
  private JanusClientApi clients;

  private static String key() {
    return Base64.getEncoder().encodeToString(SecretBox.newKey());
  }

  @BeforeEach
  void start() throws IOException {
    clients = JanusClientApi.start();
  }

  @AfterEach
  void stop() {
    clients.close();
    janus.close();
    database.close();
  }

  private App server(String keys) {
    Map<String, String> settings = new HashMap<>();
    settings.put("CONVOKE_PORT", "0");
    settings.put("CONVOKE_DATABASE_URL", databaseUrl);
    settings.put("CONVOKE_REDIS_URL", LocalStores.forTests().redis().url());
    settings.put("CONVOKE_SECRET_KEY", keys);
    settings.put("CONVOKE_ADMIN_TOKEN", ADMIN);
    settings.put("CONVOKE_JANUS_ADMIN_URL", janus.adminUrl().toString());
    settings.put("CONVOKE_JANUS_ADMIN_SECRET", JanusServer.ADMIN_SECRET);
    settings.put("CONVOKE_JANUS_ADMIN_KEY", JanusServer.ADMIN_KEY);
    settings.put("CONVOKE_JANUS_URL", clients.url());
    return App.start(ServerConfig.of(settings), EnumSet.of(NodeRole.API), folder);
  }

  /** A new user's key. */
  private static String user(App server) {
    ContractClient admin = ContractClient.of(server.url()).with("X-Admin-API-Key", ADMIN);
    long id =
        admin
            .post("/admin/users", Map.of("email", "ann@example.org"))
            .expect(201)
            .json()
            .path("id")
            .asLong();
    return admin
        .post("/admin/users/" + id + "/tokens", Map.of())
        .expect(201)
        .json()
        .path("token")
        .asString();
  }

  private static ContractClient as(App server, String user) {
    return ContractClient.of(server.url()).with("X-API-Key", user);
  }

  private static JsonNode make(App server, String user, String room) {
    return as(server, user).post("/rooms", Map.of("name", room)).expect(201).json();
  }

  /** What Janus says to the PIN that it gets when a guest joins. */
  private JanusJoin joined(App server, JsonNode room, Map<String, Object> body) {
    String link = room.path("links").path("guest").asString();
    ContractClient.of(server.url())
        .with("X-Join-Token", link.substring(link.indexOf('#') + 1))
        .post("/join/janus/11/22", Map.of("janus", "message", "transaction", "t", "body", body))
        .expect(200);
    JsonNode sent = clients.last().path("body");
    return janus.join(
        sent.path("room").asString(),
        sent.path("pin").asString(),
        Optional.empty(),
        Optional.empty());
  }

  private List<String> reseal(Optional<JanusAdmin> of) {
    SecretBox rotating = SecretBox.parse(after + "," + before);
    return new SecretResealer(database, rotating, of, System.out::println).run().obstacles();
  }

  @Test
  void aRoomThatIsNotEnteredDuringARotationIsJoinedWhenTheOldKeyIsGone() {
    String user;
    try (App server = server(before)) {
      user = user(server);
      JsonNode _ = make(server, user, "idle");
    }
    assertThat(reseal(Optional.of(janusAdmin))).isEmpty();
    try (App server = server(after)) {
      JsonNode room = make(server, user, "idle");
      assertThat(joined(server, room, ENTERS)).isInstanceOf(JanusJoin.JanusJoined.class);
      assertThat(joined(server, room, HEARS)).isInstanceOf(JanusJoin.JanusJoined.class);
    }
    assertThat(janus.complaints()).isEmpty();
  }

  @Test
  void aRoomThatJanusDoesNotListGetsTheNewKeyToo() {
    String user;
    try (App server = server(before)) {
      user = user(server);
      JsonNode _ = make(server, user, "hidden");
    }
    janus.withoutAdminKey();
    assertThat(reseal(Optional.of(janusAdmin))).isEmpty();
    try (App server = server(after)) {
      JsonNode room = make(server, user, "hidden");
      assertThat(joined(server, room, ENTERS)).isInstanceOf(JanusJoin.JanusJoined.class);
    }
    assertThat(janus.complaints()).isEmpty();
  }

  @Test
  void aRoomOfOthersWithoutASecretStaysOpen() {
    assertThat(
            janusAdmin.send("create", Map.of("admin_key", JanusServer.ADMIN_KEY, "room", "theirs")))
        .isInstanceOf(JanusReply.JanusAnswer.class);
    assertThat(reseal(Optional.of(janusAdmin))).isEmpty();
    assertThat(janus.join("theirs", "", Optional.empty(), Optional.empty()))
        .isInstanceOf(JanusJoin.JanusJoined.class);
    assertThat(janus.complaints()).isEmpty();
  }

  @Test
  void serversThatIssueWithDifferentKeysLetPeopleIntoTheRoomsOfEachOther() {
    try (App older = server(before + "," + after);
        App newer = server(after + "," + before)) {
      String user = user(older);
      Map<String, App> makers = Map.of("of-older", older, "of-newer", newer);
      makers.forEach(
          (name, maker) -> {
            JsonNode room = make(maker, user, name);
            for (App server : List.of(older, newer, older)) {
              for (Map<String, Object> body : List.of(HEARS, ENTERS)) {
                assertThat(joined(server, room, body))
                    .as(name)
                    .isInstanceOf(JanusJoin.JanusJoined.class);
              }
            }
          });
    }
    assertThat(janus.complaints()).isEmpty();
  }

  private static Map<String, Object> film(String request, JsonNode room) {
    return Map.of(
        "request_id",
        request,
        "type",
        "egress",
        "action",
        "start",
        "channel",
        room.path("room").asString(),
        "payload",
        Map.of("kind", "record", "access_token", room.path("egress_token").asString()));
  }

  /** The secret that a pod gets with a task. */
  private String secretOf(JsonNode task) {
    String payload =
        database.read(
            tx ->
                tx.sql("select spec -> 'payload' as payload from tasks where id = ?")
                    .with(task.path("id").asString())
                    .one(row -> row.json("payload").toString()));
    return new AccessTokenSealer(SecretBox.parse(after + "," + before))
        .open((ObjectNode) Json.read(payload))
        .path("access_token")
        .asString();
  }

  /** Whether Janus takes a secret for that of the room. */
  private boolean opens(String room, String secret) {
    return janusAdmin.send("kick", Map.of("room", room, "secret", secret, "id", "absent"))
            instanceof JanusReply.JanusRefusal(int code, String _)
        && code != JanusAdmin.UNAUTHORIZED;
  }

  @Test
  void aRoomThatAPodRecordsKeepsItsSecretUntilThatHasEnded() {
    String user;
    String earlier;
    try (App server = server(before)) {
      user = user(server);
      JsonNode room = make(server, user, "stage");
      earlier = secretOf(as(server, user).post("/tasks", film("one", room)).expect(202).json());
    }
    try (App rotated = server(after + "," + before)) {
      JsonNode room = make(rotated, user, "stage");
      assertThat(joined(rotated, room, ENTERS)).isInstanceOf(JanusJoin.JanusJoined.class);
      assertThat(opens("stage", earlier)).as("who enters changes nothing for the pod").isTrue();
      String later =
          secretOf(as(rotated, user).post("/tasks", film("two", room)).expect(202).json());
      assertThat(opens("stage", later)).isTrue();

      assertThat(reseal(Optional.of(janusAdmin)))
          .contains(
              "1 rooms of the Janus have a secret of an older key, which a pod uses: wait until its"
                  + " egress tasks have ended");
      assertThat(opens("stage", earlier)).isTrue();
      database.run(
          tx -> {
            int _ = tx.sql("update tasks set state = 'FAILED', completed_at = now()").update();
          });
      assertThat(reseal(Optional.of(janusAdmin))).isEmpty();
      assertThat(opens("stage", earlier)).isFalse();
      assertThat(joined(rotated, room, HEARS)).isInstanceOf(JanusJoin.JanusJoined.class);
    }
    assertThat(janus.complaints()).isEmpty();
  }

  @Test
  void roomsThatCouldNotBeRenewedNeedTheOldKeyStill() {
    try (App server = server(before)) {
      JsonNode _ = make(server, user(server), "idle");
    }
    assertThat(reseal(Optional.empty()))
        .singleElement()
        .asString()
        .contains("set CONVOKE_JANUS_ADMIN_URL");
    for (String request : List.of("list", "edit")) {
      janus.faults().next(it -> it.text().contains("\"" + request + "\""), new RefuseRequest(500));
      assertThat(reseal(Optional.of(janusAdmin)))
          .as(request)
          .singleElement()
          .asString()
          .contains("did not answer for all");
    }
    assertThat(reseal(Optional.of(janusAdmin))).isEmpty();
    assertThat(janus.complaints()).isEmpty();
  }
}
