package io.convoke.agent.meeting;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.agent.AutomaticLeave;
import io.convoke.agent.BotConfig;
import io.convoke.agent.RetryPolicy;
import io.convoke.engine.testhook.TestSignal;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Parts of a recording on their way to a server that fails and refuses. */
class RecordingUploadTest {
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final RetryPolicy QUICK =
      new RetryPolicy(Duration.ofMillis(2), Duration.ofMillis(5), SOON);

  private final PartServer server = new PartServer();
  private RecordingUpload upload;

  @BeforeEach
  void open() throws IOException {
    upload = new RecordingUpload(config(), QUICK);
  }

  private BotConfig config() {
    return new BotConfig(
        7,
        "the-session",
        1,
        "janus",
        "standup",
        Optional.empty(),
        Optional.empty(),
        "Scribe",
        Optional.empty(),
        "transcribe",
        "the-token",
        server.url(),
        Optional.empty(),
        "",
        Duration.ofSeconds(30),
        AutomaticLeave.DEFAULT,
        true);
  }

  @AfterEach
  void close() {
    server.close();
  }

  private static RecordedPart part(Optional<String> person, int offset, int samples) {
    return new RecordedPart(person, offset, new byte[2 * samples]);
  }

  @Test
  void partsAreTakenInOrderAndTheLastOneEndsIt() throws InterruptedException {
    server.failuresToCome.set(5);
    upload.add(part(Optional.of("ada"), 8000, 16_000));
    upload.add(part(Optional.empty(), 0, 160_000));
    upload.end(160_000);
    assertThat(upload.await(SOON)).isTrue();
    assertThat(server.taken)
        .extracting(
            it ->
                "%d %s %s %s %s"
                    .formatted(
                        it.metadata().path("chunk_seq").asInt(),
                        it.last(),
                        it.person(),
                        it.metadata().path("offset_seconds").asDouble(0),
                        it.metadata().path("duration_seconds").asDouble()))
        .containsExactly("0 false ada 0.5 1.5", "1 false all 0.0 10.0", "2 true all 0.0 10.0");
    assertThat(server.taken)
        .allMatch(it -> it.metadata().path("session_uid").asString().equals("the-session"))
        .allMatch(it -> it.authorization().equals("Bearer the-token"));
    assertThat(server.taken)
        .extracting(PartServer.TakenPart::size)
        .containsExactly(44 + 32_000, 44 + 320_000, 0);
  }

  @Test
  void aLaunchThatIsOverUploadsNoMore() throws InterruptedException {
    try (TestSignal.SignalObservation<Integer> answers = server.answered.observe()) {
      server.answer = 410;
      upload.add(part(Optional.empty(), 0, 160));
      int _ = answers.await(SOON);
    }
    upload.end(160);
    assertThat(upload.await(SOON)).isFalse();
    assertThat(upload.stopped()).isTrue();
    upload.add(part(Optional.empty(), 160, 160));
    assertThat(server.taken).hasSize(1);
  }

  @Test
  void aRecordingThatWasDeletedGetsNoMore() throws InterruptedException {
    server.status = "deleted";
    upload.add(part(Optional.empty(), 0, 160));
    upload.add(part(Optional.empty(), 160, 160));
    upload.end(320);
    assertThat(upload.await(SOON)).isFalse();
    assertThat(server.taken).hasSize(1);
  }

  @Test
  void aServerThatIsAwayCostsNothing() throws InterruptedException {
    server.failuresToCome.set(Integer.MAX_VALUE);
    for (int i = 0; i < 20; i++) {
      upload.add(part(Optional.empty(), i * 160, 160));
    }
    upload.end(3200);
    assertThat(upload.await(Duration.ofMillis(50))).isFalse();
    try (TestSignal.SignalObservation<Integer> answers = server.answered.observe()) {
      server.failuresToCome.set(0);
      int _ = answers.await(count -> count == 21, SOON);
    }
    assertThat(server.taken.getLast().last()).isTrue();
  }

  @Test
  void aRecordingOfWhichTooMuchWaitsEndsWithWhatWaits() throws Exception {
    server.failuresToCome.set(Integer.MAX_VALUE);
    RecordingUpload full = new RecordingUpload(config(), QUICK, 3 * 320);
    for (int i = 0; i < 5; i++) {
      full.add(part(Optional.empty(), i * 160, 160));
    }
    assertThat(full.stopped()).isTrue();
    full.end(800);
    server.failuresToCome.set(0);
    assertThat(full.await(SOON)).isTrue();
    assertThat(server.taken)
        .extracting(
            it ->
                "%d %s %s"
                    .formatted(
                        it.metadata().path("chunk_seq").asInt(),
                        it.last(),
                        it.metadata().path("duration_seconds").asDouble()))
        .containsExactly("0 false 0.01", "1 false 0.02", "2 false 0.03", "3 true 0.03");
  }
}
