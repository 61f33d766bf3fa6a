package io.convoke.server.recordings;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.agent.blobs.BlobKey;
import io.convoke.agent.blobs.BlobStore;
import io.convoke.agent.blobs.PartialBlob;
import io.convoke.engine.testhook.TestSignal.SignalObservation;
import io.convoke.server.http.ContractClient;
import io.convoke.server.launch.Await;
import io.convoke.server.platform.RecordingInfo;
import io.convoke.server.recordings.RecordingsTestKit.Gear;
import io.convoke.server.recordings.RecordingsTestKit.Node;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Audio that the store does not delete at once is deleted later. */
class RecordingRetentionTest {
  @TempDir private Path folder;
  private RecordingsTestKit kit;
  private RefusingBlobs blobs;

  @BeforeEach
  void open() {
    kit = new RecordingsTestKit(folder);
    blobs = new RefusingBlobs(kit.blobs());
  }

  @AfterEach
  void close() {
    kit.close();
  }

  @Test
  void theAudioOfADeletedRecordingGoesOnceTheStoreDeletesAgain() throws Exception {
    Node node = node(Optional.empty());
    store("one");
    refuse("one");
    ContractClient ann = kit.as(node, kit.ann);
    ann.delete("/recordings/one").expect(204);
    ann.get("/recordings/one").expect(404);
    assertThat(isStored("one")).isTrue();

    blobs.refused.clear();
    int _ = node.recordings().keeping().tidy();
    assertThat(isStored("one")).isFalse();
    assertThat(toDelete()).isZero();
  }

  @Test
  void expiredAudioThatIsNotDeletedHoldsUpNoOtherAndGoesLater() throws Exception {
    Node node = node(Optional.of(Duration.ofDays(7)));
    store("one");
    store("two");
    change("update recordings set state_entered_at = now() - interval '8 days'");
    refuse("one");
    assertThat(node.recordings().keeping().tidy()).isEqualTo(2);
    assertThat(isStored("one")).isTrue();
    assertThat(isStored("two")).isFalse();

    blobs.refused.clear();
    assertThat(node.recordings().keeping().tidy()).isZero();
    assertThat(isStored("one")).isFalse();
    assertThat(toDelete()).isZero();
  }

  /** Ada's track is stored before Ben's part is found missing, and no row names it. */
  @Test
  void theTracksOfAFailedStepAreDeletedWithTheirRecording() throws Exception {
    Node node = node(RecordingsTestKit.quick(Optional.empty(), 2));
    failWithTrack(node, "one");
    BlobKey adas = DownloadStep.trackKey("one", 1);
    assertThat(blobs.stat(adas)).isPresent();
    boolean _ = blobs.refused.add(adas.text());
    kit.as(node, kit.ann).delete("/recordings/one").expect(204);
    assertThat(blobs.stat(adas)).isPresent();

    blobs.refused.clear();
    int _ = node.recordings().keeping().tidy();
    assertThat(keys("one")).isEmpty();
    assertThat(toDelete()).isZero();
  }

  @Test
  void theTracksOfAFailedStepExpire() throws Exception {
    Node node = node(RecordingsTestKit.quick(Optional.of(Duration.ofDays(7)), 2));
    failWithTrack(node, "one");
    assertThat(keys("one")).contains(DownloadStep.trackKey("one", 1).text());
    change("update recordings set state_entered_at = now() - interval '8 days'");
    assertThat(node.recordings().keeping().tidy()).isEqualTo(1);
    assertThat(keys("one")).isEmpty();
    assertThat(toDelete()).isZero();
  }

  /** Stores Ada's track, and then finds that Ben's part is missing. */
  private void failWithTrack(Node node, String id) throws Exception {
    try (SignalObservation<RecordingRow> moves = node.moves()) {
      begin(node, id);
      part(id, 0, "ada");
      part(id, 1, "ben");
      assertThat(blobs.delete(RecordingParts.key(id, 1))).isTrue();
      report(node, id, new RecordingEvent.FileReady(true));
      RecordingRow _ = kit.await(moves, id, RecordingStatus.FAILED);
    }
  }

  @Test
  void whatAStepStoresWhileItsRecordingIsDeletedIsDeletedToo() throws Exception {
    Node node = node(RecordingsTestKit.quick());
    begin(node, "one");
    part("one", 0, "ada");
    part("one", 1, "ben");
    ContractClient ann = kit.as(node, kit.ann);
    AtomicInteger opened = new AtomicInteger();
    blobs.opened =
        key -> {
          // First what it begins with, then all of it: Ada's track is stored, Ben's soon will be.
          if (key.equals(RecordingParts.key("one", 1)) && opened.incrementAndGet() == 2) {
            ann.delete("/recordings/one").expect(204);
          }
        };
    report(node, "one", new RecordingEvent.FileReady(true));
    Await.until(
        "the end of the step",
        () ->
            node.meters()
                .scrape()
                .contains(
                    "convoke_recordings_steps_seconds_count{outcome=\"over\",step=\"download\"}"));
    Await.until("the deletion of what it stored", () -> keys("one").isEmpty());
    assertThat(opened).hasValue(2);
    assertThat(toDelete()).isZero();
  }

  /** A repeated download stores under the same key. */
  @Test
  void audioThatWasDownloadedAgainIsKept() throws Exception {
    Node node = node(Optional.empty());
    store("one");
    change(
        """
        insert into blobs_to_delete (blob_key, recording_id)
        values ('recordings/one/audio', 'one')
        """);
    change("update recordings set status = 'processing', blob_key = null");
    int _ = node.recordings().keeping().tidy();
    assertThat(isStored("one")).as("a step may be about to name it").isTrue();
    assertThat(toDelete()).isEqualTo(1);

    change("update recordings set status = 'done', blob_key = 'recordings/one/audio'");
    int _ = node.recordings().keeping().tidy();
    assertThat(isStored("one")).isTrue();
    assertThat(toDelete()).isZero();
  }

  private Node node(Optional<Duration> retention) {
    return node(RecordingsTestKit.quick(retention));
  }

  private Node node(RecordingConfig terms) {
    return kit.node(Gear.of(FakeTranscriber.willing()).with(terms), blobs, builder -> {});
  }

  /** A bot of Ann's begins to record. */
  private void begin(Node node, String id) {
    long _ = kit.meetingWithoutClaim(kit.ann, "call");
    report(node, id, new RecordingEvent.RecordingStarted());
  }

  private void report(Node node, String id, RecordingEvent event) {
    var _ =
        node.recordings()
            .transitions()
            .reported(
                "daily",
                new RecordingInfo(
                    id,
                    "call",
                    Optional.empty(),
                    Optional.empty(),
                    Optional.of(kit.clock.instant()),
                    Optional.of(Duration.ofSeconds(90)),
                    RecordingInfo.PlatformRecordingStatus.RUNNING,
                    Optional.of(RecordingParts.KIND)),
                MeetingAssignment.in(kit.number("select id as n from meetings"), kit.ann),
                event,
                "bot");
  }

  /** A part of one participant's sound. */
  private void part(String id, int number, String participantId) throws IOException {
    BlobKey key = RecordingParts.key(id, number);
    BlobStore.StoredBlob stored = blobs.put(key, new ByteArrayInputStream(new byte[] {1, 2, 3}));
    kit.database.run(
        tx ->
            RecordingParts.add(
                tx,
                id,
                new RecordingParts.StoredPart(
                    number,
                    key,
                    stored.size(),
                    Optional.of(
                        new RecordingParts.ParticipantPart(participantId, Duration.ZERO)))));
  }

  private List<String> keys(String id) {
    try {
      return blobs.list(DownloadStep.folder(id), Optional.empty(), 10).blobs().stream()
          .map(BlobStore.BlobInfo::key)
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A processed recording of Ann's with its audio. */
  private void store(String id) throws IOException {
    BlobStore.StoredBlob stored =
        blobs.put(DownloadStep.key(id), new ByteArrayInputStream(new byte[] {1, 2, 3}));
    kit.database.run(
        tx -> {
          int _ =
              tx.sql(
                      """
                      insert into recordings
                        (recording_id, user_id, room_name, status, run, blob_key, blob_size,
                         blob_sha256)
                      values (?, ?, 'call', 'done', 1, ?, ?, ?)
                      """)
                  .with(id, kit.ann, DownloadStep.key(id).text(), stored.size(), stored.sha256())
                  .update();
        });
  }

  private void refuse(String id) {
    boolean _ = blobs.refused.add(DownloadStep.key(id).text());
  }

  private boolean isStored(String id) throws IOException {
    return blobs.stat(DownloadStep.key(id)).isPresent();
  }

  private long toDelete() {
    return kit.number("select count(*) as n from blobs_to_delete");
  }

  private void change(String sql) {
    kit.database.run(
        tx -> {
          int _ = tx.sql(sql).update();
        });
  }

  /** A store that deletes no blob under some keys, and tells which blobs are opened. */
  private static final class RefusingBlobs implements BlobStore {
    private final BlobStore store;
    private final Set<String> refused = ConcurrentHashMap.newKeySet();
    private volatile Consumer<BlobKey> opened = _ -> {};

    private RefusingBlobs(BlobStore store) {
      this.store = store;
    }

    @Override
    public PartialBlob partial(BlobKey key, String tag) throws IOException {
      return store.partial(key, tag);
    }

    @Override
    public void putNew(BlobKey key, byte[] content, String contentType) throws IOException {
      store.putNew(key, content, contentType);
    }

    @Override
    public Optional<BlobInfo> stat(BlobKey key) throws IOException {
      return store.stat(key);
    }

    @Override
    public Optional<InputStream> open(BlobKey key, long from) throws IOException {
      Optional<InputStream> content = store.open(key, from);
      opened.accept(key);
      return content;
    }

    @Override
    public boolean delete(BlobKey key) throws IOException {
      if (refused.contains(key.text())) {
        throw new IOException("the store is away");
      }
      return store.delete(key);
    }

    @Override
    public BlobPage list(String prefix, Optional<String> after, int limit) throws IOException {
      return store.list(prefix, after, limit);
    }

    @Override
    public int deletePartials(Instant before) throws IOException {
      return store.deletePartials(before);
    }

    @Override
    public void close() {
      store.close();
    }
  }
}
