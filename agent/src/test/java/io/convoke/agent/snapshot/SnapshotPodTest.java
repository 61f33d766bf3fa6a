package io.convoke.agent.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.agent.pod.PodTestKit;
import io.convoke.engine.dispatch.TaskState;
import io.convoke.engine.dispatch.TaskTransition;
import io.convoke.simulator.Simulator;
import io.convoke.simulator.SimulatorConfig;
import io.convoke.simulator.process.JavaProcess;
import io.convoke.simulator.state.JoinResult;
import io.convoke.simulator.state.RoomRequest;
import io.convoke.simulator.state.Visitor;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The reference pod as a process, in a simulated meeting. */
@Timeout(180)
@Tag("nightly")
class SnapshotPodTest {
  @TempDir private Path folder = Path.of("");
  private final Simulator sim = Simulator.start(SimulatorConfig.defaults());
  private PodTestKit kit;

  @BeforeEach
  void open() throws IOException {
    kit =
        new PodTestKit(folder, "io.convoke.agent.ReferencePod")
            .with("CONVOKE_SNAPSHOT_ROOMS_URL", sim.url().resolve("/rooms").toString());
    assertThat(sim.world().create(RoomRequest.named("alpha"))).isPresent();
    JoinResult joined = sim.world().join("alpha", Visitor.named("Ada").withUserId("ada"));
    assertThat(joined).isInstanceOf(JoinResult.JoinedMeeting.class);
  }

  @AfterEach
  void close() {
    kit.close();
    sim.close();
  }

  @Tag("nightly")
  @Test
  void picturesOfTwoAttemptsLieBesideEachOtherAndOtherTypesAreLeft() throws Exception {
    JavaProcess first = kit.pod("--slots", "2");
    kit.submit("other", "record", "alpha", "{}");
    kit.submit("t", "snapshot", "alpha", "{\"interval_in_ms\": 1000, \"access_token\": \"007\"}");
    Path one = await("t", "t-1-000002.png");
    JavaProcess second = kit.pod("--slots", "2");
    first.kill();
    Path two = await("t", "t-2-000001.png");
    assertThat(one).exists();
    for (Path picture : new Path[] {one, two}) {
      assertThat(
              new ImageInspector(Files.readAllBytes(picture))
                  .tile(TileLayout.FLAT.places(1, 1280, 720).getFirst()))
          .isEqualTo(SnapshotRenderer.colour("ada"));
    }
    kit.stop("t");
    TaskTransition end = kit.await("t", TaskState.SUCCESS);
    assertThat(end.attempt()).isEqualTo(2);
    assertThat(kit.find("other").state()).isEqualTo(TaskState.PENDING);
    assertThat(second.stop()).isZero();
  }

  @Test
  void whatCannotBeDoneFailsWithItsReason() {
    JavaProcess _ = kit.pod("--slots", "1");
    kit.submit("gone", "snapshot", "no-such-room", "{}");
    assertThat(kit.await("gone", TaskState.FAILED).error())
        .isEqualTo("there is no room named no-such-room");
    kit.submit("fast", "snapshot", "alpha", "{\"interval_in_ms\": 10}");
    assertThat(kit.await("fast", TaskState.FAILED).error())
        .isEqualTo("interval_in_ms must be a number from 1000 to 300000");
    kit.submit("odd", "snapshot", "alpha", "{\"layout\": [], \"uid\": {}}");
    assertThat(kit.await("odd", TaskState.FAILED).error()).startsWith("layout must be");
  }

  /** Waits for a picture of a task. */
  private Path await(String task, String picture) throws Exception {
    Path pictures = folder.resolve("store/blobs/snapshots").resolve(task);
    Path _ = Files.createDirectories(pictures);
    try (WatchService watch = FileSystems.getDefault().newWatchService()) {
      var _ = pictures.register(watch, StandardWatchEventKinds.ENTRY_CREATE);
      while (!Files.exists(pictures.resolve(picture))) {
        var key = watch.poll(PodTestKit.LONG.toSeconds(), TimeUnit.SECONDS);
        assertThat(key).as("a picture").isNotNull();
        var _ = key.pollEvents();
        boolean _ = key.reset();
      }
    }
    return pictures.resolve(picture);
  }
}
