package io.convoke.e2e.console;

import io.convoke.e2e.journey.ApiUser;
import io.convoke.e2e.journey.JourneyTestServer;
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
 * A house where recordings are heard by a real transcriber and their words brought to a stand-in of
 * HubSpot.
 */
final class RecordingConsoleServer implements AutoCloseable {
  private static final String CRM_SECRET = "the-crm-token";

  final FakeCrm crm = new FakeCrm(CRM_SECRET);
  final JourneyTestServer house;
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
    house = JourneyTestServer.open(folder, settings);
    key = house.key("olivia@example.org");
    olivia = caller(key);
  }

  /** Opens it, or skips the test that asked where there is no transcriber, saying why. */
  static RecordingConsoleServer open(Path folder, List<String> lines, Map<String, String> more)
      throws Exception {
    boolean ears = PocketsphinxTranscriber.install();
    if (!ears) {
      System.err.println(
          "*** RECORDINGS WERE NOT TESTED: there is no real transcriber on this machine; install "
              + String.join(", ", PocketsphinxTranscriber.PACKAGES)
              + " and run the tests again. ***");
    }
    Assumptions.assumeTrue(ears, "espeak-ng and pocketsphinx are not here and cannot be had");
    return new RecordingConsoleServer(folder, lines, more);
  }

  ApiUser caller(String key) {
    return new ApiUser(house.server().url(), Map.of("X-API-Key", key));
  }

  /** A meeting of Olivia's that is followed, with nobody in it yet. */
  long meeting(String room, String title) throws Exception {
    return meeting(olivia, room, title);
  }

  long meeting(ApiUser user, String room, String title) throws Exception {
    var _ = house.simulator().world().ensure(RoomRequest.named(room));
    return user.post(
            "/meetings",
            """
            {"platform": "daily", "native_meeting_id": "%s", "data": {"title": "%s"}}
            """
                .formatted(room, title))
        .body()
        .path("id")
        .asLong();
  }

  /** Somebody comes and speaks, and that is recorded from now on; answers the recording's id. */
  String recording(String room, String name, List<String> lines) {
    SimulationState simulationState = house.simulator().world();
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

  /** The same, and it is over after a moment: the platform tells lengths in whole seconds. */
  String recorded(String room, String name, List<String> lines) {
    String id = recording(room, name, lines);
    var _ =
        house
            .simulator()
            .time()
            .after(
                Duration.ofMillis(1500),
                () -> {
                  int _ = house.simulator().world().stopRecording(room, Optional.empty());
                });
    return id;
  }

  /**
   * Waits until a recording has moved to a status, and answers what its event says. The admin is
   * asked: whose it is, nobody may know yet.
   */
  JsonNode moved(String recording, String status) throws IOException, InterruptedException {
    return house
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
    house.close();
    crm.close();
  }
}
