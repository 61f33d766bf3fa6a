package io.convoke.server.dispatch;

import static io.convoke.server.dispatch.DispatchTestServer.task;
import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.agent.blobs.FolderBlobStore;
import io.convoke.engine.crypto.SecretBox;
import io.convoke.engine.dispatch.DispatchConfig;
import io.convoke.engine.dispatch.PostgresTaskStore;
import io.convoke.engine.sql.Database;
import io.convoke.engine.wake.PostgresListener;
import io.convoke.server.egress.EgressFeature;
import io.convoke.server.http.ContractClient;
import io.convoke.server.launch.Await;
import io.convoke.server.rooms.RoomClaims;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Egress of a room that moves between the check of a task and its row. */
class MovedRoomTest {
  private static final String ROOM = "hall";
  private static final long ANN = 7;
  private static final long BOB = 8;

  @TempDir private static Path folder;

  @Test
  void aTaskThatIsAcceptedWhileItsRoomMovesIsStopped() throws Exception {
    try (FolderBlobStore blobs = new FolderBlobStore(folder);
        DispatchTestServer testServer =
            new DispatchTestServer(
                    DispatchConfig.seed(),
                    true,
                    MovedRoomTest::moving,
                    database ->
                        new EgressFeature(
                            database, blobs, Optional.empty(), SecretBox.of(new byte[32])))
                .started()) {
      PostgresListener _ =
          testServer.keep(
              new PostgresListener(
                  testServer.databaseUrl,
                  Map.of(PostgresTaskStore.CHANNEL, testServer.dispatch.receiver())));
      ContractClient ann = testServer.server.user(ANN);
      give(testServer.database, ANN);
      Map<String, Object> task = task("film", "type", EgressFeature.TYPE);
      task.put("channel", ROOM);
      ann.post("/tasks", task).expect(202);

      Await.until(
          "the end of her task",
          () -> !ann.get("/tasks/film").expect(200).json().path("completed_at").isNull());
      JsonNode ended = ann.get("/tasks/film").expect(200).json();
      assertThat(ended.path("state").asString()).isEqualTo("FAILED");
      assertThat(ended.path("error").asString()).isEqualTo("stopped");
    }
  }

  /** Finds that the room is the user's, which it is not any more when the task is stored. */
  private static TaskRule moving(Database database) {
    RoomClaims claims = new RoomClaims(database, RoomClaims.RoomClaimMode.FIRST);
    return (user, type, channel) -> {
      assertThat(claims.owns("janus", channel, user)).isTrue();
      give(database, BOB);
    };
  }

  private static void give(Database database, long user) {
    database.run(
        tx -> {
          int _ =
              tx.sql(
                      """
                      insert into rooms (platform, room, user_id, claimed_at, opens_at)
                      values ('janus', ?, ?, now(), now())
                      on conflict (platform, room) do update set user_id = excluded.user_id
                      """)
                  .with(ROOM, user)
                  .update();
        });
  }
}
