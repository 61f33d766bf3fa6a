package io.convoke.e2e.media;

import io.convoke.e2e.journey.ApiUser;
import io.convoke.e2e.journey.JourneyTestServer;
import io.convoke.engine.crypto.SecretBox;
import io.convoke.fakes.janus.InstalledJanus;
import io.convoke.fakes.janus.JanusServer;
import io.convoke.fakes.transcribe.PocketsphinxTranscriber;
import io.convoke.simulator.audio.MediaEncoder;
import io.convoke.simulator.process.InstalledPrograms;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/** A real Janus and a real server beside it, for tests with real media. */
final class JanusMachine implements AutoCloseable {
  private final InstalledJanus janus;
  private final JourneyTestServer server;
  private final ApiUser olivia;

  /** Starts both; {@code more} are settings of the server. */
  JanusMachine(Path folder, Map<String, String> more) throws Exception {
    Path recordings = Files.createDirectories(folder.resolve("recorded"));
    int port = InstalledPrograms.freePort();
    janus =
        new InstalledJanus(
            folder.resolve("janus"), URI.create("http://127.0.0.1:" + port + "/webhooks/janus"));
    Map<String, String> settings = new HashMap<>();
    settings.put("CONVOKE_PORT", Integer.toString(port));
    settings.put("CONVOKE_MEETING_HOSTS", "127.0.0.1:" + port);
    settings.put("CONVOKE_JANUS_ADMIN_URL", janus.adminUrl().toString());
    settings.put("CONVOKE_JANUS_ADMIN_SECRET", JanusServer.ADMIN_SECRET);
    settings.put("CONVOKE_JANUS_ADMIN_KEY", JanusServer.ADMIN_KEY);
    settings.put("CONVOKE_JANUS_EVENT_SECRET", JanusServer.EVENT_PASSWORD);
    settings.put("CONVOKE_JANUS_URL", janus.clientUrl().toString());
    settings.put("CONVOKE_JANUS_API_SECRET", InstalledJanus.API_SECRET);
    settings.put("CONVOKE_JANUS_RECORDINGS", recordings.toString());
    settings.putAll(more);
    server = JourneyTestServer.open(folder, settings);
    olivia = server.user("olivia@example.org");
  }

  /** Skips the test that asks, loudly, where a program is missing. */
  static void require() {
    Optional<String> missing =
        InstalledJanus.obstacle()
            .or(
                () ->
                    Stream.of(
                            PocketsphinxTranscriber.install()
                                ? ""
                                : "espeak-ng or pocketsphinx is not installed",
                            MediaEncoder.install() ? "" : "ffmpeg is not installed")
                        .filter(why -> !why.isEmpty())
                        .findFirst());
    missing.ifPresent(
        why -> System.err.println("*** ROOMS WITH REAL MEDIA WERE NOT TESTED: " + why + " ***"));
    Assumptions.assumeTrue(missing.isEmpty(), missing.orElse(""));
  }

  /** The secret of a room, which the server derives and shows to pods alone. */
  static String secret(String room) {
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(
            SecretBox.of(Base64.getDecoder().decode(JourneyTestServer.SECRET_KEY))
                .deriveAll("janus-room-secret", room)
                .getFirst());
  }

  InstalledJanus janus() {
    return janus;
  }

  JourneyTestServer server() {
    return server;
  }

  /** The user whose rooms and meetings they are. */
  ApiUser olivia() {
    return olivia;
  }

  @Override
  public void close() {
    server.close();
    janus.close();
  }
}
