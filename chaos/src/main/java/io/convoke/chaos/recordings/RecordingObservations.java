package io.convoke.chaos.recordings;

import io.convoke.chaos.ServerCluster;
import io.convoke.chaos.kernel.FaultTimeline;
import io.convoke.chaos.kernel.FaultWindow;
import io.convoke.chaos.recordings.rules.DeletedRecordingRule;
import io.convoke.chaos.recordings.rules.DeletedRecordingRule.DeletedRecording;
import io.convoke.chaos.recordings.rules.ExpectedRecording;
import io.convoke.chaos.recordings.rules.RecordingHistory;
import io.convoke.chaos.recordings.rules.RecordingHistory.FinalNote;
import io.convoke.chaos.recordings.rules.RecordingHistory.MeetingPeople;
import io.convoke.chaos.recordings.rules.RecordingHistory.OutsideEffect;
import io.convoke.chaos.recordings.rules.RecordingHistory.ReceivedNote;
import io.convoke.chaos.recordings.rules.RecordingHistory.RecordingEndState;
import io.convoke.chaos.recordings.rules.RecordingHistory.RowChange;
import io.convoke.fakes.crm.FakeCrm;
import io.convoke.simulator.Simulator;
import io.convoke.simulator.stores.EmbeddedRedis;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/** Gathers the observations of a run: platform, rows, transcriber, CRM, blob store. */
final class RecordingObservations {
  private static final String EXTERNAL = "recording:";

  /** The timeout of a lock, which is renewed each minute while its holder works. */
  private static final Duration LOCK = Duration.ofMinutes(10);

  /** Recordings that are deleted at the end of a run. */
  private static final int DELETED = 2;

  private final RecordingRows rows;
  private final RecordingGenerator generator;
  private final FakeTranscriber transcriber;
  private final FakeCrm crm;
  private final Simulator platform;
  private final EmbeddedRedis redis;
  private final FaultTimeline timeline;
  private final Path blobs;

  RecordingObservations(
      RecordingRows rows,
      RecordingGenerator generator,
      FakeTranscriber transcriber,
      FakeCrm crm,
      Simulator platform,
      EmbeddedRedis redis,
      FaultTimeline timeline,
      Path blobs) {
    this.rows = rows;
    this.generator = generator;
    this.transcriber = transcriber;
    this.crm = crm;
    this.platform = platform;
    this.redis = redis;
    this.timeline = timeline;
    this.blobs = blobs;
  }

  /** Locks held, workflows still open, and uploaded parts that are not going to be deleted. */
  List<String> left() throws SQLException, IOException {
    List<String> left = new ArrayList<>(rows.openWorkflows());
    List<Path> files = files();
    Set<String> known = rows.parts();
    files.stream()
        .filter(RecordingObservations::isPart)
        .map(file -> blobs.resolve("blobs").relativize(file).toString())
        .filter(key -> !known.contains(key))
        .forEach(key -> left.add("the part " + key + " is stored for good"));
    redis.keys("recording:*").stream()
        .filter(key -> !abandoned(key))
        .forEach(key -> left.add("the lock " + key + " is held"));
    return left;
  }

  /**
   * Whether a fault kept the holder of this lock from releasing it: it was neither taken nor
   * renewed since the last loss of Redis or of a server, so that it has no holder and expires. A
   * later run takes it over.
   */
  private boolean abandoned(String key) {
    Optional<Instant> fault =
        timeline.windows().stream()
            .filter(
                window ->
                    window.what().equals(FaultTimeline.KILL)
                        || window.target().equals(FaultTimeline.REDIS))
            .map(FaultWindow::from)
            .max(Instant::compareTo);
    Optional<Duration> lives = redis.timeToLive(key);
    return fault.isPresent()
        && lives.isPresent()
        && lives.get().compareTo(LOCK.minus(Duration.between(fault.get(), Instant.now()))) <= 0;
  }

  /** Everything observed so far; the evidence is gathered once, at the end. */
  RecordingHistory history(RecordingUsers users, RecordingHistory.RecordingEvidence evidence)
      throws SQLException, IOException {
    Set<String> deleted = users.deleted().keySet();
    List<ReceivedNote> posts =
        crm.posts().stream()
            .map(
                genericCrmPost ->
                    new ReceivedNote(
                        id(genericCrmPost.externalId()),
                        genericCrmPost.key(),
                        genericCrmPost.body()))
            .toList();
    List<OutsideEffect> effects = new ArrayList<>(transcriber.effects(generator::id));
    crm.posts()
        .forEach(post -> effects.add(new OutsideEffect(id(post.externalId()), "push", post.at())));
    return new RecordingHistory(
        without(deleted, generator.expectedRecordings(), ExpectedRecording::id),
        rows.rows(),
        without(deleted, rows.changes(), RowChange::id),
        rows.transitions(),
        rows.syncMoves(),
        rows.syncs(),
        List.copyOf(effects),
        posts,
        without(deleted, notes(), FinalNote::recordingId),
        stored(),
        ServerCluster.webhooks(platform.truth()),
        users.replies(),
        crm.complaints(),
        left(),
        rows.unrecorded(),
        evidence);
  }

  /** Those that are not of a deleted recording, of which only what is left is judged. */
  private static <T> List<T> without(
      Set<String> deleted, List<T> all, Function<T, String> recording) {
    return all.stream().filter(one -> !deleted.contains(recording.apply(one))).toList();
  }

  private List<FinalNote> notes() {
    return crm.notes().entrySet().stream()
        .map(
            entry -> {
              JsonNode body = entry.getValue().body();
              List<String> parts = new ArrayList<>();
              body.path("lines").forEach(line -> parts.add(line.path("text").asString()));
              List<String> people = new ArrayList<>();
              body.path("people").forEach(one -> people.add(person(one)));
              return new FinalNote(
                  id(entry.getKey()),
                  body.path("meeting_id").asLong(),
                  List.copyOf(parts),
                  entry.getValue().versions(),
                  new MeetingPeople(
                      body.path("owner_email").asString(""), people.stream().sorted().toList()));
            })
        .toList();
  }

  private static String person(JsonNode one) {
    return "%s as %s, %s"
        .formatted(
            one.path("name").asString(""),
            one.path("user_id").asString(""),
            one.path("email").asString(""));
  }

  /** Has some finished recordings deleted, once all else is gathered; returns what is left. */
  List<DeletedRecording> delete(RecordingUsers users) throws SQLException, IOException {
    List<DeletedRecording> deletions = new ArrayList<>();
    for (RecordingEndState row :
        rows.rows().stream()
            .filter(row -> row.status().equals("done") && !row.lines().isEmpty())
            .limit(DELETED)
            .toList()) {
      List<Integer> answers = users.delete(row);
      deletions.add(deletion(row.id(), answers.getFirst(), answers.getLast(), row.lines(), false));
    }
    for (ExpectedRecording expected : generator.expectedRecordings()) {
      Long meeting = users.deleted().get(expected.id());
      if (meeting != null) {
        deletions.add(
            deletion(
                expected.id(),
                DeletedRecordingRule.NO_CONTENT,
                users.read(expected.id(), meeting),
                expected.lines(),
                users.unfinished().contains(expected.id())
                    && notes().stream()
                        .anyMatch(note -> note.recordingId().equals(expected.id()))));
      }
    }
    return deletions;
  }

  private DeletedRecording deletion(
      String id, int answered, int read, List<String> lines, boolean noted)
      throws SQLException, IOException {
    List<String> left = new ArrayList<>();
    for (String line : lines) {
      if (rows.mentions(line) > 0) {
        left.add(line);
      }
    }
    return new DeletedRecording(id, answered, read, stored().containsKey(id), left, noted);
  }

  private Map<String, RecordingEndState.RecordingBlob> stored() throws IOException {
    Map<String, RecordingEndState.RecordingBlob> stored = new TreeMap<>();
    for (Path file : files().stream().filter(file -> !isPart(file)).toList()) {
      String id = Objects.requireNonNull(file.getParent()).getFileName().toString();
      stored.put(
          id,
          new RecordingEndState.RecordingBlob(Files.size(file), sha256(Files.readAllBytes(file))));
    }
    return stored;
  }

  private List<Path> files() throws IOException {
    Path folder = blobs.resolve("blobs").resolve("recordings");
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(Files::isRegularFile).toList();
    }
  }

  /** A server that dies leaves uploaded parts to a later round. */
  private static boolean isPart(Path file) {
    return file.getFileName().toString().startsWith("part-");
  }

  private static String sha256(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("every JDK has SHA-256", impossible);
    }
  }

  private static String id(String externalId) {
    return externalId.startsWith(EXTERNAL) ? externalId.substring(EXTERNAL.length()) : externalId;
  }
}
