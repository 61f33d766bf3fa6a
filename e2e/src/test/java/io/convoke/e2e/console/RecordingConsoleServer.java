package io.convoke.e2e.console;

import io.convoke.e2e.journey.ApiUser;
import io.convoke.e2e.journey.JourneyTestServer;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.fakes.crm.FakeCrm;
import io.convoke.fakes.transcribe.PocketsphinxTranscriber;
import io.convoke.simulator.state.JoinResult;
import io.convoke.simulator.state.Recording;
import io.convoke.simulator.state.RecordingRequest;
import io.convoke.simulator.state.RoomRequest;
import io.convoke.simulator.state.SimulationState;
import io.convoke.simulator.state.Visitor;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;
import tools.jackson.databind.JsonNode;

/**
 * A server whose recordings a real transcriber transcribes and whose notes go to a fake HubSpot.
 */
final class RecordingConsoleServer implements AutoCloseable {
  private static final String CRM_SECRET = "the-crm-token";

  final FakeCrm crm = new FakeCrm(CRM_SECRET);
  final JourneyTestServer journeyServer;
  final String key;
  final ApiUser olivia;

  private RecordingConsoleServer(Path folder, List<String> lines, Map<String, String> more)
      throws Exception {
    Map<String, String> settings =
        new HashMap<>(
            Map.of(
                "CONVOKE_TRANSCRIBER",
                PocketsphinxTranscriber.listeningFor(lines, folder).setting(),
                "CONVOKE_CRM_KIND",
                "hubspot",
                "CONVOKE_CRM_URL",
                crm.hubSpotUrl().toString(),
                "CONVOKE_CRM_SECRET",
                CRM_SECRET));
    settings.putAll(more);
    journeyServer = JourneyTestServer.open(folder, settings);
    key = journeyServer.key("olivia@example.org");
    olivia = caller(key);
  }

  /** Opens it, or skips the test that asked where there is no transcriber, saying why. */
  static RecordingConsoleServer open(Path folder, List<String> lines, Map<String, String> more)
      throws Exception {
    boolean installed = PocketsphinxTranscriber.install();
    if (!installed) {
      System.err.println(
          "*** RECORDINGS WERE NOT TESTED: there is no real transcriber on this machine; install "
              + String.join(", ", PocketsphinxTranscriber.PACKAGES)
              + " and run the tests again. ***");
    }
    Assumptions.assumeTrue(installed, "espeak-ng and pocketsphinx are not here and cannot be had");
    return new RecordingConsoleServer(folder, lines, more);
  }

  ApiUser caller(String key) {
    return new ApiUser(journeyServer.server().url(), Map.of("X-API-Key", key));
  }

  /** A tracked meeting of Olivia's without participants. */
  long meeting(String room, String title) throws Exception {
    var _ = journeyServer.simulator().world().ensure(RoomRequest.named(room));
    return olivia
        .post(
            "/meetings",
            """
            {"platform": "daily", "native_meeting_id": "%s", "data": {"title": "%s"}}
            """
                .formatted(room, title))
        .body()
        .path("id")
        .asLong();
  }

  /**
   * Gives a room a meeting of another user, as before rooms had owners, so that a recording there
   * is left to an operator.
   */
  void share(String room) throws Exception {
    String _ = journeyServer.key("marek@example.org");
    try (Database database =
        Database.open(
            DatabaseUrl.parse(journeyServer.databaseUrl()), 2, "test", List.of("convoke"))) {
      database.run(
          tx -> {
            int _ = tx.sql("delete from rooms where room = ?").with(room).update();
            int _ =
                tx.sql(
                        """
                        insert into meetings
                          (user_id, platform, platform_specific_id, status, tracked, start_time, data)
                        select id, 'daily', ?, 'active', true, now(), '{"title": "Another user''s"}'
                        from users where email = 'marek@example.org'
                        """)
                    .with(room)
                    .update();
          });
    }
  }

  /** A participant joins, speaks and is recorded; returns the recording's id. */
  String recording(String room, String name, List<String> lines) {
    SimulationState simulationState = journeyServer.simulator().world();
    JoinResult joined = simulationState.join(room, Visitor.named(name));
    String session = ((JoinResult.JoinedMeeting) joined).session().sessionId();
    Recording recording =
        simulationState.startRecording(RecordingRequest.cloud(room)).orElseThrow();
    lines.forEach(
        line -> {
          boolean _ = simulationState.say(room, session, line);
        });
    return recording.recordingId();
  }

  /** The same, ended after a moment: the platform reports lengths in whole seconds. */
  String recorded(String room, String name, List<String> lines) {
    String id = recording(room, name, lines);
    var _ =
        journeyServer
            .simulator()
            .time()
            .after(
                Duration.ofMillis(1500),
                () -> {
                  int _ = journeyServer.simulator().world().stopRecording(room, Optional.empty());
                });
    return id;
  }

  /**
   * Waits until a recording has reached a status and returns the event. It asks as the admin,
   * because the recording may have no owner yet.
   */
  JsonNode moved(String recording, String status) throws IOException, InterruptedException {
    return journeyServer
        .admin()
        .await(
            0,
            event ->
                event.path("subject").asString("").equals("recording:" + recording)
                    && event.path("data").path("to").asString("").equals(status))
        .path("data");
  }

  @Override
  public void close() {
    journeyServer.close();
    crm.close();
  }
}
