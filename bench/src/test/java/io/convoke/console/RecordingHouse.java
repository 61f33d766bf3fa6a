package io.convoke.console;

import io.convoke.journey.Caller;
import io.convoke.journey.House;
import io.convoke.lab.crm.CrmStandIn;
import io.convoke.lab.sim.world.JoinResult;
import io.convoke.lab.sim.world.Recording;
import io.convoke.lab.sim.world.RecordingRequest;
import io.convoke.lab.sim.world.RoomRequest;
import io.convoke.lab.sim.world.Visitor;
import io.convoke.lab.sim.world.World;
import io.convoke.lab.transcribe.Pocketsphinx;
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
final class RecordingHouse implements AutoCloseable {
  private static final String CRM_SECRET = "the-crm-token";

  final CrmStandIn crm = new CrmStandIn(CRM_SECRET);
  final House house;
  final String key;
  final Caller olivia;

  private RecordingHouse(Path folder, List<String> lines, Map<String, String> more)
      throws Exception {
    Map<String, String> settings =
        new HashMap<>(
            Map.of(
                "CONVOKE_TRANSCRIBER",
                Pocketsphinx.listeningFor(lines, folder).setting(),
                "CONVOKE_CRM_KIND",
                "hubspot",
                "CONVOKE_CRM_URL",
                crm.hubSpotUrl().toString(),
                "CONVOKE_CRM_SECRET",
                CRM_SECRET));
    settings.putAll(more);
    house = House.open(folder, settings);
    key = house.key("olivia@example.org");
    olivia = caller(key);
  }

  /** Opens it, or skips the test that asked where there is no transcriber, saying why. */
  static RecordingHouse open(Path folder, List<String> lines, Map<String, String> more)
      throws Exception {
    boolean ears = Pocketsphinx.install();
    if (!ears) {
      System.err.println(
          "*** RECORDINGS WERE NOT TESTED: there is no real transcriber on this machine; install "
              + String.join(", ", Pocketsphinx.PACKAGES)
              + " and run the tests again. ***");
    }
    Assumptions.assumeTrue(ears, "espeak-ng and pocketsphinx are not here and cannot be had");
    return new RecordingHouse(folder, lines, more);
  }

  Caller caller(String key) {
    return new Caller(house.server().url(), Map.of("X-API-Key", key));
  }

  /** A meeting of Olivia's that is followed, with nobody in it yet. */
  long meeting(String room, String title) throws Exception {
    return meeting(olivia, room, title);
  }

  long meeting(Caller user, String room, String title) throws Exception {
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
    World world = house.simulator().world();
    JoinResult joined = world.join(room, Visitor.named(name));
    String session = ((JoinResult.Joined) joined).session().sessionId();
    Recording recording = world.startRecording(RecordingRequest.cloud(room)).orElseThrow();
    lines.forEach(
        line -> {
          boolean _ = world.say(room, session, line);
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
