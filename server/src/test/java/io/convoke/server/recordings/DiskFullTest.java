package io.convoke.server.recordings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.convoke.server.App;
import io.convoke.server.NodeRole;
import io.convoke.server.config.ServerConfig;
import io.convoke.server.http.ContractClient;
import io.convoke.simulator.Simulator;
import io.convoke.simulator.SimulatorConfig;
import io.convoke.simulator.state.JoinResult;
import io.convoke.simulator.state.Recording;
import io.convoke.simulator.state.RecordingRequest;
import io.convoke.simulator.state.RoomRequest;
import io.convoke.simulator.state.Visitor;
import io.convoke.simulator.stores.LocalStores;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The disk of the recordings is a real one, mounted for the test, and is full. */
@Tag("nightly")
class DiskFullTest {
  private static final String ADMIN = "an-admin-token-of-more-than-32-characters";
  private static final Duration SOON = Duration.ofSeconds(60);

  @TempDir private Path folder;

  @Test
  void aRecordingWaitsForSpaceAndIsThenWhole() throws Exception {
    Path disk = Files.createDirectory(folder.resolve("disk"));
    assumeThat(run("mount", "-t", "tmpfs", "-o", "size=8m", "convoke-test", disk.toString()))
        .as("root may mount a small disk")
        .isZero();
    try (Simulator simulator = Simulator.start(SimulatorConfig.defaults());
        App app =
            App.start(ServerConfig.of(settings(simulator)), EnumSet.allOf(NodeRole.class), disk)) {
      Path filler = disk.resolve("filler");
      fill(filler);
      ContractClient admin = ContractClient.of(app.url()).with("X-Admin-API-Key", ADMIN);
      long user =
          admin
              .post("/admin/users", Map.of("email", "ann@example.org"))
              .expect(201)
              .json()
              .path("id")
              .asLong();
      admin
          .post(
              "/meetings?user_id=" + user,
              Map.of("platform", "daily", "native_meeting_id", "long-talk"))
          .expect(201);
      String id = recorded(simulator, "long-talk");

      await(() -> recording(admin, id).toString().contains("No space left"));
      assertThat(recording(admin, id).path("status").asString()).isNotEqualTo("failed");
      try (Stream<Path> files = Files.walk(disk.resolve("blobs/blobs"))) {
        assertThat(files.filter(Files::isRegularFile)).isEmpty();
      }
      admin.get("/readyz").expect(200);

      Files.delete(filler);
      await(() -> admin.get("/recordings/" + id + "/audio").status() == 200);
      assertThat(admin.get("/recordings/" + id + "/audio").body()).startsWith("RIFF");
    } finally {
      assertThat(run("umount", disk.toString())).isZero();
    }
  }

  private static Map<String, String> settings(Simulator simulator) {
    Map<String, String> settings = new HashMap<>();
    settings.put("CONVOKE_PORT", "0");
    settings.put("CONVOKE_DATABASE_URL", LocalStores.forTests().freshDatabase());
    settings.put("CONVOKE_REDIS_URL", LocalStores.forTests().redis().url());
    settings.put("CONVOKE_SECRET_KEY", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=");
    settings.put("CONVOKE_ADMIN_TOKEN", ADMIN);
    settings.put("CONVOKE_DAILY_API_URL", simulator.apiUrl().toString());
    settings.put("CONVOKE_DAILY_API_KEY", simulator.apiKey());
    settings.put("CONVOKE_RECORDING_POLL_INTERVAL", "1s");
    settings.put("CONVOKE_PRESENCE_RECONCILE_INTERVAL", "1s");
    return settings;
  }

  private static String recorded(Simulator simulator, String room) {
    var _ = simulator.world().ensure(RoomRequest.named(room));
    JoinResult _ = simulator.world().join(room, Visitor.named("Guest"));
    Recording recording =
        simulator.world().startRecording(RecordingRequest.cloud(room)).orElseThrow();
    var _ =
        simulator
            .time()
            .after(
                Duration.ofMillis(1500),
                () -> {
                  int _ = simulator.world().stopRecording(room, Optional.empty());
                });
    return recording.recordingId();
  }

  private static JsonNode recording(ContractClient admin, String id) {
    return admin.get("/recordings/" + id).json();
  }

  /** Writes until the disk takes no more. */
  private static void fill(Path file) throws IOException {
    byte[] zeros = new byte[4096];
    try (OutputStream out = Files.newOutputStream(file)) {
      while (true) {
        out.write(zeros);
      }
    } catch (IOException full) {
      assertThat(full).hasMessageContaining("No space left");
    }
  }

  private static int run(String... command) throws IOException, InterruptedException {
    return new ProcessBuilder(command).inheritIO().start().waitFor();
  }

  private static void await(BooleanSupplier condition) {
    long end = System.nanoTime() + SOON.toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).isLessThan(end);
      LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
    }
  }
}
