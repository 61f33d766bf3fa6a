package io.convoke.server.recordings;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.agent.blobs.BlobKey;
import io.convoke.agent.blobs.BlobStore;
import io.convoke.engine.testhook.TestSignal.SignalObservation;
import io.convoke.server.media.MediaTool;
import io.convoke.server.recordings.RecordingsTestKit.Gear;
import io.convoke.server.recordings.RecordingsTestKit.Node;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Recordings that bots upload, from their parts to the end of the pipeline. */
class RecordingUploadsTest {
  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  @TempDir private static Path folder;
  private final String connection = UUID.randomUUID().toString();
  private RecordingsTestKit kit;
  private Node node;
  private long meeting;

  @BeforeEach
  void open() {
    kit = new RecordingsTestKit(folder.resolve(connection));
    node =
        kit.node(
            new Gear(
                Optional.empty(),
                Optional.empty(),
                RecordingsTestKit.quick(),
                new MediaTool("ffmpeg"),
                Optional.empty()));
    meeting =
        kit.database.read(
            tx ->
                tx.sql(
                        """
                        insert into meetings
                          (user_id, platform, platform_specific_id, status, connection_id, attempt,
                           start_time, admitted_at)
                        values (?, 'google_meet', 'abc-defg-hij', 'active', ?, 1, now(), now())
                        returning id
                        """)
                    .with(kit.ann, connection)
                    .one(row -> row.longAt("id")));
  }

  @AfterEach
  void close() {
    kit.close();
  }

  @Test
  void partsBecomeOneRecordingThatGoesTheWayOfOthers() throws IOException {
    try (SignalObservation<RecordingRow> moves = node.moves()) {
      assertThat(upload(part(0, false), "first ")).isEqualTo(200);
      assertThat(upload(part(1, false), "and ")).isEqualTo(200);
      assertThat(upload(part(1, false), "and ")).as("again, after a lost answer").isEqualTo(200);
      assertThat(kit.row(id()).status()).isEqualTo(RecordingStatus.IN_PROGRESS);
      assertThat(upload(part(3, true), "last")).as("2 was lost").isEqualTo(200);
      RecordingRow done = kit.await(moves, id(), RecordingStatus.DONE);
      assertThat(done.meetingId()).contains(meeting);
      assertThat(done.userId()).contains(kit.ann);
      assertThat(done.platform()).isEqualTo("google_meet");
      assertThat(done.durationS()).contains(90);
    }
    assertThat(audio()).isEqualTo("first and last");
    assertThat(kit.as(node, kit.ann).get("/recordings/" + id() + "/audio").expect(200).body())
        .isEqualTo("first and last");
    try (BlobStore blobs = kit.blobs()) {
      assertThat(blobs.list("recordings/", Optional.empty(), 10).blobs())
          .as("its parts are gone")
          .hasSize(1);
    }
    assertThat(upload(part(4, true), "too late")).isEqualTo(200);
    assertThat(audio()).isEqualTo("first and last");
    assertThat(kit.row(id()).run()).isEqualTo(1);
  }

  @Test
  void aWholeRecordingIsOnePart() throws IOException {
    try (SignalObservation<RecordingRow> moves = node.moves()) {
      assertThat(upload("\"format\": \"webm\"", "all of it")).isEqualTo(200);
      RecordingRow _ = kit.await(moves, id(), RecordingStatus.DONE);
    }
    assertThat(audio()).isEqualTo("all of it");
  }

  @Test
  void partsOfWavGetOneHeader() throws IOException {
    try (SignalObservation<RecordingRow> moves = node.moves()) {
      assertThat(upload(part(0, false), wav("one "))).isEqualTo(200);
      assertThat(upload(part(1, false), wav("two "))).isEqualTo(200);
      assertThat(upload(part(2, true), "")).isEqualTo(200);
      RecordingRow _ = kit.await(moves, id(), RecordingStatus.DONE);
    }
    assertThat(audio()).isEqualTo(wav("one two "));
  }

  @Test
  void partsOfParticipantsBecomeTracksBesideTheWholeMeeting() throws IOException {
    try (SignalObservation<RecordingRow> moves = node.moves()) {
      assertThat(upload(part(0, false), wav("both"))).isEqualTo(200);
      assertThat(upload(part(1, false) + of("ada", 0.5), wav("A..."))).isEqualTo(200);
      assertThat(upload(part(2, false) + of("ben", 0.25), wav("B..."))).isEqualTo(200);
      assertThat(upload(part(3, false), wav(" two"))).isEqualTo(200);
      assertThat(upload(part(5, false) + of("ada", 0.502), wav("C..."))).isEqualTo(200);
      assertThat(upload(part(4, false) + of("ada", 0.501), wav("D..."))).isEqualTo(200);
      assertThat(upload(part(6, true), "")).isEqualTo(200);
      RecordingRow _ = kit.await(moves, id(), RecordingStatus.DONE);
    }
    assertThat(audio()).isEqualTo(wav("both two"));
    // 32 bytes are a millisecond.
    String gap = "\0".repeat(28);
    assertThat(blob("track-1")).isEqualTo(wav("A..." + gap + "D..." + gap + "C..."));
    assertThat(blob("track-2")).isEqualTo(wav("B..."));
    List<String> tracks =
        kit.database.read(
            tx ->
                tx.sql(
                        """
                        select participant_id || ' ' || offset_ms as its
                        from recording_tracks order by track
                        """)
                    .list(row -> row.text("its")));
    assertThat(tracks).containsExactly("ada 500", "ben 250");
    assertThat(kit.number("select count(*) as n from recording_parts")).isZero();
  }

  @Test
  void aRecordingMayHaveTracksAlone() throws IOException {
    try (SignalObservation<RecordingRow> moves = node.moves()) {
      assertThat(upload(part(0, true) + of("ada", 1), "webm")).isEqualTo(200);
      RecordingRow done = kit.await(moves, id(), RecordingStatus.DONE);
      assertThat(done.audio()).isEmpty();
    }
    assertThat(blob("track-1")).isEqualTo("webm");
    assertThat(kit.as(node, kit.ann).get("/recordings/" + id() + "/audio").status()).isEqualTo(404);
  }

  @Test
  void aPartOfAParticipantNeedsItsTime() {
    assertThat(upload(part(0, false) + ", \"participant_id\": \"ada\"", "x")).isEqualTo(400);
    assertThat(upload(part(0, false) + of("ada", -1), "x")).isEqualTo(400);
    assertThat(upload(part(0, false) + of("ada", 86_401), "x")).isEqualTo(400);
    assertThat(upload(part(0, false) + of("a".repeat(256), 0), "x")).isEqualTo(400);
    assertThat(kit.number("select count(*) as n from recordings")).isZero();
  }

  @Test
  void theAnswerNamesWhatIsWrongWithMetadata() {
    assertThat(refusal("", part(0, false))).contains("metadata.session_uid is required");
    assertThat(refusal(connection, "\"chunk_seq\": 1.5"))
        .contains("metadata.chunk_seq must be an integer");
    assertThat(refusal(connection, "\"chunk_seq\": 0, \"is_final\": \"yes\""))
        .contains("metadata.is_final must be a boolean");
    assertThat(refusal(connection, part(0, false) + ", \"participant_id\": 5"))
        .contains("metadata.offset_seconds is required with participant_id");
    assertThat(refusal(connection, "\"pad\": \"" + "x".repeat(64 * 1024) + "\""))
        .contains("metadata is longer than 65536 bytes");
    assertThat(upload("\"chunk_seq\": \"0\", \"is_final\": \"false\"", "x")).isEqualTo(200);
    assertThat(kit.row(id()).status()).isEqualTo(RecordingStatus.IN_PROGRESS);
  }

  @Test
  void whatABotLeftBehindIsNotLost() throws IOException {
    assertThat(upload(part(0, false), "before the crash")).isEqualTo(200);
    assertThat(node.recordings().uploads().finish()).as("it still records").isZero();
    int _ =
        kit.database.read(
            tx ->
                tx.sql("update meetings set status = 'failed', end_time = now() where id = ?")
                    .with(meeting)
                    .update());
    assertThat(node.recordings().uploads().finish()).as("its last part may come").isZero();
    int _ =
        kit.database.read(
            tx -> tx.sql("update recordings set told_at = now() - interval '20 minutes'").update());
    int _ =
        kit.database.read(
            tx -> tx.sql("update meetings set end_time = now() - interval '16 minutes'").update());
    try (SignalObservation<RecordingRow> moves = node.moves()) {
      assertThat(node.recordings().uploads().finish()).isEqualTo(1);
      RecordingRow _ = kit.await(moves, id(), RecordingStatus.DONE);
    }
    assertThat(audio()).isEqualTo("before the crash");
    assertThat(upload(part(1, true), "much later")).isEqualTo(410);
  }

  @Test
  void aRecordingWithoutSoundIsEmpty() {
    assertThat(upload(part(0, true), "")).isEqualTo(200);
    assertThat(kit.row(id()).status()).isEqualTo(RecordingStatus.EMPTY);
  }

  @Test
  void onlyTheTokenOfThisLaunchCounts() {
    assertThat(send("cvb_1_1_nonsense", connection, part(0, true), "x", "file")).isEqualTo(401);
    assertThat(send(token(2), connection, part(0, true), "x", "file"))
        .as("of a launch that is not the present one")
        .isEqualTo(410);
    assertThat(send(token(1), UUID.randomUUID().toString(), part(0, true), "x", "file"))
        .as("about another session")
        .isEqualTo(403);
    assertThat(send(token(1), connection, part(0, true), "x", "picture")).isEqualTo(400);
    assertThat(send(token(1), connection, part(-1, true), "x", "file")).isEqualTo(400);
    assertThat(kit.number("select count(*) as n from recordings")).isZero();
    assertThat(kit.number("select count(*) as n from recording_parts")).isZero();
  }

  @Test
  void aDeletedRecordingTakesItsPartsAlongAndStaysDeleted() throws IOException {
    assertThat(upload(part(0, false), "private")).isEqualTo(200);
    kit.as(node, kit.ann).delete("/recordings/" + id()).expect(204);
    assertThat(upload(part(1, true), "more")).isEqualTo(200);
    try (BlobStore blobs = kit.blobs()) {
      assertThat(blobs.list("recordings/", Optional.empty(), 10).blobs()).isEmpty();
    }
    assertThat(kit.number("select count(*) as n from recording_parts")).isZero();
  }

  @Tag("nightly")
  @Test
  void aRecordingHasNoMoreThanFourGigabytesInAllItsParts() throws IOException {
    assertThat(upload(part(0, false), "first ")).isEqualTo(200);
    sized((4L << 30) - 5);
    assertThat(upload(part(1, false), "123456")).isEqualTo(413);
    assertThat(blobs()).as("it is not kept").isEqualTo(1);
    assertThat(upload(part(1, false), "12345")).isEqualTo(200);
    assertThat(upload(part(1, false), "54321")).as("again").isEqualTo(200);
    assertThat(upload(part(1, false), "123456")).as("again, and longer").isEqualTo(413);
    assertThat(blobs()).isEqualTo(1);
    sized(4L << 30);
    assertThat(upload(part(2, true), "")).as("it is full").isEqualTo(413);
    assertThat(kit.row(id()).status()).isEqualTo(RecordingStatus.IN_PROGRESS);
  }

  @Tag("nightly")
  @Test
  void aWavThatIsLongerThanItsHeaderCanSayDoesNotWrap() throws IOException {
    assertThat(upload(part(0, false), wav("long"))).isEqualTo(200);
    sized(5L << 30);
    int _ =
        kit.database.read(
            tx ->
                tx.sql(
                        """
                        with over as (update meetings
                          set status = 'completed', end_time = now() - interval '1 hour')
                        update recordings set told_at = now() - interval '1 hour'
                        """)
                    .update());
    try (SignalObservation<RecordingRow> moves = node.moves()) {
      assertThat(node.recordings().uploads().finish()).isEqualTo(1);
      RecordingRow _ = kit.await(moves, id(), RecordingStatus.DONE);
    }
    String most = "\u00ff".repeat(4);
    assertThat(audio()).startsWith("RIFF" + most + "WAVE").endsWith("data" + most + "long");
  }

  @Tag("nightly")
  @Test
  void partsThatWereNeverPutTogetherAreDeletedLikeOtherAudio() throws IOException {
    Node tidying =
        kit.node(
            new Gear(
                Optional.empty(),
                Optional.empty(),
                RecordingsTestKit.quick(Optional.of(Duration.ofDays(7))),
                new MediaTool("ffmpeg"),
                Optional.empty()));
    assertThat(upload(part(0, false), "one")).isEqualTo(200);
    assertThat(upload(part(1, false), "two")).isEqualTo(200);
    int _ =
        kit.database.read(
            tx ->
                tx.sql("update recordings set state_entered_at = now() - interval '8 days'")
                    .update());
    assertThat(tidying.recordings().keeping().tidy()).as("it still records").isZero();
    int _ = kit.database.read(tx -> tx.sql("update recordings set status = 'failed'").update());
    assertThat(tidying.recordings().keeping().tidy()).isEqualTo(1);
    assertThat(blobs()).isZero();
    assertThat(kit.number("select count(*) as n from recording_parts")).isZero();
  }

  @Tag("nightly")
  @Test
  void theAuditFindsAPartThatIsNotInTheStore() throws IOException {
    assertThat(upload(part(0, false), "one")).isEqualTo(200);
    assertThat(upload(part(1, false), "two")).isEqualTo(200);
    try (BlobStore blobs = kit.blobs()) {
      assertThat(blobs.delete(RecordingParts.key(id(), 1))).isTrue();
    }
    RecordingRetention.StorageAudit audit = node.recordings().keeping().audit(true);
    assertThat(audit.rows()).isEqualTo(2);
    assertThat(audit.missing()).singleElement().matches(part -> part.recordingId().equals(id()));
    assertThat(audit.repaired()).isEqualTo(1);
    assertThat(kit.number("select part as n from recording_parts")).isZero();
  }

  /** Has the row of the first part tell another size. */
  private void sized(long bytes) {
    int _ =
        kit.database.read(
            tx ->
                tx.sql("update recording_parts set blob_size = ? where part = 0")
                    .with(bytes)
                    .update());
  }

  private int blobs() throws IOException {
    try (BlobStore blobs = kit.blobs()) {
      return blobs.list("recordings/", Optional.empty(), 10).blobs().size();
    }
  }

  private String id() {
    return "bot-" + connection;
  }

  private String audio() throws IOException {
    return blob("audio");
  }

  private String blob(String name) throws IOException {
    try (BlobStore blobs = kit.blobs();
        var content = blobs.open(new BlobKey("recordings/" + id() + "/" + name)).orElseThrow()) {
      return new String(content.readAllBytes(), StandardCharsets.ISO_8859_1);
    }
  }

  /** Sound behind a canonical header. */
  static String wav(String sound) {
    ByteBuffer header = ByteBuffer.allocate(44).order(ByteOrder.LITTLE_ENDIAN);
    var _ = header.put("RIFF".getBytes(StandardCharsets.ISO_8859_1));
    var _ = header.putInt(36 + sound.length());
    var _ = header.put("WAVEfmt ".getBytes(StandardCharsets.ISO_8859_1));
    var _ = header.putInt(16).putShort((short) 1).putShort((short) 1).putInt(16_000);
    var _ = header.putInt(32_000).putShort((short) 2).putShort((short) 16);
    var _ = header.put("data".getBytes(StandardCharsets.ISO_8859_1));
    var _ = header.putInt(sound.length());
    return new String(header.array(), StandardCharsets.ISO_8859_1) + sound;
  }

  private static String part(int number, boolean last) {
    return "\"chunk_seq\": %d, \"is_final\": %s".formatted(number, last);
  }

  private static String of(String participantId, double offset) {
    return ", \"participant_id\": \"%s\", \"offset_seconds\": %s".formatted(participantId, offset);
  }

  private String token(int attempt) {
    return kit.tokens.of(meeting, attempt, connection);
  }

  private int upload(String facts, String content) {
    return send(token(1), connection, facts, content, "file");
  }

  /** The answer to a part that is 400. */
  private String refusal(String session, String facts) {
    HttpResponse<String> answer = answer(token(1), session, facts, "x", "file");
    assertThat(answer.statusCode()).isEqualTo(400);
    return answer.body();
  }

  private int send(String token, String session, String facts, String content, String field) {
    return answer(token, session, facts, content, field).statusCode();
  }

  private HttpResponse<String> answer(
      String token, String session, String facts, String content, String field) {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    body.writeBytes(
        """
        --line
        Content-Disposition: form-data; name="metadata"
        Content-Type: application/json

        {"meeting_id": %d, "session_uid": "%s", "duration_seconds": 90.2, %s}
        --line
        Content-Disposition: form-data; name="%s"; filename="recording.webm"

        """
            .formatted(meeting, session, facts, field)
            .replace("\n", "\r\n")
            .getBytes(StandardCharsets.ISO_8859_1));
    body.writeBytes(content.getBytes(StandardCharsets.ISO_8859_1));
    body.writeBytes("\r\n--line--\r\n".getBytes(StandardCharsets.ISO_8859_1));
    try {
      return HTTP.send(
          HttpRequest.newBuilder(URI.create(node.http().url() + "/bots/internal/recordings"))
              .header("Content-Type", "multipart/form-data; boundary=line")
              .header("Authorization", "Bearer " + token)
              .POST(HttpRequest.BodyPublishers.ofByteArray(body.toByteArray()))
              .build(),
          HttpResponse.BodyHandlers.ofString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}
