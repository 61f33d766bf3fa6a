package io.convoke.server.platform.janus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.convoke.fakes.janus.FakeJanus;
import io.convoke.fakes.janus.JanusServer;
import io.convoke.fakes.janus.MjrRecording;
import io.convoke.server.platform.RateLimiter;
import io.convoke.server.platform.RecordingInfo;
import io.convoke.server.platform.RecordingInfo.PlatformRecordingStatus;
import io.convoke.server.platform.RecordingSource.RecordingLookup;
import io.convoke.server.platform.RecordingSource.RecordingPage;
import io.convoke.server.platform.RecordingSource.RecordingTrack;
import io.convoke.server.platform.RecordingSource.RecordingTracksResult;
import io.convoke.simulator.time.ManualClock;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is found in the folder of a Janus, and when it is complete. */
class JanusRecordingSourceTest {
  private static final Instant NINE = Instant.parse("2026-03-02T09:00:00Z");
  private static final byte TOC = (byte) 0xf8;

  @TempDir private Path folder;
  private final ManualClock clock = new ManualClock(NINE);
  private final FakeJanus janus = new FakeJanus();
  private JanusRecordingSource source;
  private JanusAdmin admin;

  @BeforeEach
  void open() {
    admin =
        new JanusAdmin(
            new JanusConfig(
                janus.adminUrl(),
                JanusServer.ADMIN_SECRET,
                JanusServer.ADMIN_KEY,
                JanusConfig.DEFAULT_TIMEOUT),
            RateLimiter.unlimited());
    source =
        new JanusRecordingSource(
            new JanusClient(admin, clock), new JanusRecordingFolder(folder), clock);
  }

  @AfterEach
  void close() {
    janus.close();
  }

  /** Records a stream from one second after nine to another. */
  private Path record(String room, String id, int from, int to, boolean open) throws IOException {
    Instant created = NINE.plusSeconds(from);
    return write(
        room,
        id,
        created,
        NINE.plusSeconds(to),
        open,
        MjrRecording.opus(created, created.plusMillis(250), "")
            .packet(0, 1, 0, TOC, (byte) 1)
            .bytes());
  }

  private Path write(
      String room, String id, Instant created, Instant written, boolean open, byte[] bytes)
      throws IOException {
    Path path =
        Files.createDirectories(folder.resolve(room))
            .resolve(MjrRecording.name(room, id, created) + (open ? ".tmp" : ""));
    Files.write(path, bytes);
    return Files.setLastModifiedTime(path, FileTime.from(written));
  }

  private void at(int seconds) {
    clock.advance(Duration.between(clock.instant(), NINE.plusSeconds(seconds)));
  }

  private List<RecordingInfo> list() {
    return ((RecordingPage.RecordingsListed) source.list(Optional.empty())).recordings();
  }

  private List<RecordingTrack> tracks(RecordingInfo recording) {
    return ((RecordingTracksResult.RecordingTracksListed) source.tracks(recording.id())).tracks();
  }

  @Test
  void whatIsRecordedTogetherIsOneRecordingWithATrackForEach() throws Exception {
    Path _ = record("yard", "ada", 0, 40, false);
    Path _ = record("yard", "ben", 10, 20, false);
    Path _ = record("yard", "ada", 60, 90, false);
    Path _ = record("yard", "ben", 130, 140, false);
    Path _ = record("barn", "a-user-b", 5, 15, false);
    at(1000);

    List<RecordingInfo> all = list();
    assertThat(all)
        .extracting(RecordingInfo::room, RecordingInfo::startedAt, RecordingInfo::duration)
        .containsExactly(
            tuple("yard", Optional.of(NINE.plusSeconds(130)), Optional.of(Duration.ofSeconds(10))),
            tuple("barn", Optional.of(NINE.plusSeconds(5)), Optional.of(Duration.ofSeconds(10))),
            tuple("yard", Optional.of(NINE), Optional.of(Duration.ofSeconds(90))));
    assertThat(all).allMatch(one -> one.stage() == PlatformRecordingStatus.FINISHED);
    assertThat(all).extracting(RecordingInfo::id).doesNotHaveDuplicates();
    assertThat(tracks(all.get(2)))
        .extracting(RecordingTrack::participantId, RecordingTrack::offset)
        .containsExactly(
            tuple(Optional.of("ada"), Duration.ofMillis(250)),
            tuple(Optional.of("ben"), Duration.ofMillis(10_250)),
            tuple(Optional.of("ada"), Duration.ofMillis(60_250)));
    assertThat(tracks(all.get(1)))
        .extracting(RecordingTrack::participantId)
        .containsExactly(Optional.of("a-user-b"));
  }

  @Test
  void aRecordingIsCompleteWhenItIsQuietAndWhoIsRecordedHasLeft() throws Exception {
    assertThat(
            admin.send(
                "create", Map.of("admin_key", JanusServer.ADMIN_KEY, "room", "yard", "pin", "")))
        .isInstanceOf(JanusAdmin.JanusReply.JanusAnswer.class);
    var _ = janus.join("yard", "", Optional.of("ada"), Optional.of("Ada"));
    Path _ = record("yard", "ada", 0, 40, true);
    at(50);
    assertThat(list().getFirst().stage()).isEqualTo(PlatformRecordingStatus.RUNNING);
    at(500);
    assertThat(list().getFirst().stage()).isEqualTo(PlatformRecordingStatus.RUNNING);
    janus.leave("yard", "ada");
    assertThat(list().getFirst().stage()).isEqualTo(PlatformRecordingStatus.FINISHED);

    Path _ = record("yard", "ben", 480, 490, false);
    assertThat(list().getFirst().stage()).isEqualTo(PlatformRecordingStatus.RUNNING);
    at(560);
    assertThat(list().getFirst().stage()).isEqualTo(PlatformRecordingStatus.FINISHED);
  }

  @Test
  void withoutAnAnswerOfJanusAnOpenFileIsCompleteAfterTenMinutes() throws Exception {
    Path _ = record("yard", "ada", 0, 40, true);
    janus.close();
    at(600);
    assertThat(list().getFirst().stage()).isEqualTo(PlatformRecordingStatus.RUNNING);
    at(700);
    assertThat(list().getFirst().stage()).isEqualTo(PlatformRecordingStatus.FINISHED);
    assertThat(tracks(list().getFirst())).hasSize(1);
  }

  @Test
  void whatCannotBeTranscribedIsLeftOut() throws Exception {
    Path _ = record("yard", "ada", 0, 40, false);
    Path _ =
        write(
            "yard",
            "ben",
            NINE,
            NINE.plusSeconds(40),
            false,
            MjrRecording.opus(NINE, NINE, ", \"e\": true").packet(0, 1, 0, TOC).bytes());
    Path _ =
        write(
            "yard",
            "cleo",
            NINE,
            NINE.plusSeconds(1),
            true,
            "MJR00002".getBytes(StandardCharsets.US_ASCII));
    Files.writeString(folder.resolve("yard").resolve("videoroom-barn-user-x-1-audio-0.mjr"), "x");
    Files.writeString(folder.resolve("stray.mjr"), "x");
    at(1000);
    assertThat(list()).hasSize(1);
    assertThat(tracks(list().getFirst()))
        .extracting(RecordingTrack::participantId)
        .containsExactly(Optional.of("ada"));
    assertThat(source.lookUp("janus-1-none")).isInstanceOf(RecordingLookup.RecordingNotFound.class);
  }

  @Test
  void settledRecordingsAreDeletedAndNoOther() throws Exception {
    Path first = record("yard", "ada", 0, 40, false);
    Path second = record("yard", "ben", 10, 20, true);
    Path later = record("yard", "ada", 200, 240, false);
    at(1000);
    String id = list().getLast().id();
    Files.delete(second);
    assertThat(list().getLast().id()).as("while its first file is there").isEqualTo(id);
    source.settled(Set.of(id, "janus-1-none"));
    assertThat(first).doesNotExist();
    assertThat(later).exists();
    try (Stream<Path> files = Files.list(folder.resolve("yard"))) {
      assertThat(files).hasSize(1);
    }
  }

  @Test
  void aFolderThatIsNotThereIsNoEmptyOne() {
    JanusRecordingSource lost =
        new JanusRecordingSource(
            new JanusClient(admin, clock),
            new JanusRecordingFolder(folder.resolve("not-mounted")),
            clock);
    assertThat(lost.list(Optional.empty())).isInstanceOf(RecordingPage.RecordingPageUnknown.class);
    assertThat(lost.lookUp("x")).isInstanceOf(RecordingLookup.RecordingLookupUnknown.class);
  }
}
