package io.convoke.lab.chaos.recordings;

import io.convoke.lab.chaos.HistoryLines;
import io.convoke.lab.chaos.recordings.verdict.Answer;
import io.convoke.lab.chaos.recordings.verdict.Effect;
import io.convoke.lab.chaos.recordings.verdict.Note;
import io.convoke.lab.chaos.recordings.verdict.Post;
import io.convoke.lab.chaos.recordings.verdict.RecordingHistory;
import io.convoke.lab.chaos.recordings.verdict.Row;
import io.convoke.lab.crm.CrmStandIn;
import io.convoke.lab.sim.Simulator;
import io.convoke.lab.stores.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/**
 * Gathers what can be seen of a run: the platform, rows, the transcriber, the CRM, the blob store.
 */
final class Witness {
  private static final String EXTERNAL = "recording:";

  private final Rows rows;
  private final Studio studio;
  private final Ear ear;
  private final CrmStandIn crm;
  private final Simulator platform;
  private final RedisServer redis;
  private final Path blobs;

  Witness(
      Rows rows,
      Studio studio,
      Ear ear,
      CrmStandIn crm,
      Simulator platform,
      RedisServer redis,
      Path blobs) {
    this.rows = rows;
    this.studio = studio;
    this.ear = ear;
    this.crm = crm;
    this.platform = platform;
    this.redis = redis;
    this.blobs = blobs;
  }

  /** What is open still: locks and workflows. */
  List<String> left() throws SQLException {
    List<String> left = new ArrayList<>(rows.openWorkflows());
    redis.keys("recording:*").forEach(key -> left.add("the lock " + key + " is held"));
    return left;
  }

  RecordingHistory history(List<Answer> requests) throws SQLException, IOException {
    List<Post> posts =
        crm.posts().stream()
            .map(post -> new Post(id(post.externalId()), post.key(), post.body()))
            .toList();
    List<Effect> effects = new ArrayList<>(ear.heard(studio::id));
    posts.forEach(post -> effects.add(new Effect(post.recordingId(), "push")));
    return new RecordingHistory(
        studio.truths(),
        rows.rows(),
        rows.changes(),
        rows.moves(),
        rows.syncMoves(),
        rows.syncs(),
        List.copyOf(effects),
        posts,
        notes(),
        stored(),
        webhooks(),
        requests,
        crm.complaints(),
        left());
  }

  void write(RecordingHistory history, Path folder) throws IOException {
    HistoryLines.NONE
        .with("truths", history.truths())
        .with("rows", history.rows())
        .with("journal", history.moves())
        .with("changes", history.changes())
        .with("sync journal", history.syncMoves())
        .with("sync rows", history.syncs())
        .with("effects", history.effects())
        .with("posts", history.posts())
        .with("notes", history.notes())
        .with("stored", history.stored().entrySet())
        .with("requests", history.requests())
        .with("complaints", history.complaints())
        .with("left", history.left())
        .write(folder);
  }

  private List<Note> notes() {
    return crm.notes().entrySet().stream()
        .map(
            entry -> {
              JsonNode body = entry.getValue().body();
              List<String> words = new ArrayList<>();
              body.path("lines").forEach(line -> words.add(line.path("text").asString()));
              return new Note(
                  id(entry.getKey()),
                  body.path("meeting_id").asLong(),
                  List.copyOf(words),
                  entry.getValue().versions());
            })
        .toList();
  }

  private List<Answer> webhooks() {
    return platform.truth().webhooks().stream()
        .flatMap(
            delivery ->
                delivery.attempts().stream()
                    .map(
                        attempt ->
                            new Answer(
                                delivery.envelope().type() + " " + delivery.envelope().label(),
                                attempt.status().orElse(0))))
        .toList();
  }

  private Map<String, Row.Blob> stored() throws IOException {
    Map<String, Row.Blob> stored = new TreeMap<>();
    Path folder = blobs.resolve("blobs").resolve("recordings");
    if (Files.isDirectory(folder)) {
      try (Stream<Path> files = Files.walk(folder)) {
        for (Path file : files.filter(Files::isRegularFile).toList()) {
          String id = Objects.requireNonNull(file.getParent()).getFileName().toString();
          stored.put(id, new Row.Blob(Files.size(file), sha256(Files.readAllBytes(file))));
        }
      }
    }
    return stored;
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
