package io.convoke.agent.egress;

import io.convoke.agent.blobs.BlobKey;
import io.convoke.agent.egress.EgressLedger.StoreCall;
import io.convoke.agent.egress.EgressRequest.EgressKind;
import io.convoke.agent.egress.JanusForwarder.Forward;
import io.convoke.agent.egress.JanusForwarder.Publisher;
import io.convoke.agent.process.WorkFolder;
import io.convoke.engine.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One run of ffmpeg, for publishers that do not change: collects what is complete, asks for whole
 * pictures until something is. What is collected waits on the disk until it is stored, also after
 * ffmpeg has ended.
 */
final class EgressPart implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(EgressPart.class);

  /** Whole pictures are asked for this often until the first output. */
  private static final int KEYFRAMES_MAX = 20;

  /** A push that ran this long reached its target; one that is refused ends sooner. */
  private static final Duration REACHED = Duration.ofSeconds(10);

  private final EgressLedger ledger;
  private final JanusForwarder janus;
  private final FfmpegPlan plan;
  private final String task;
  private final int attempt;
  private final int number;
  private final WorkFolder folder;
  private final GuardedFfmpeg ffmpeg;

  /** How many files of each stream are complete. */
  private final Map<String, Integer> made = new HashMap<>();

  /** What is not stored yet, in its order: nothing can be joined before the part's note. */
  private final Deque<WaitingFile> waiting;

  /** How many lines of each list were read. */
  private final Map<String, Integer> read = new HashMap<>();

  private Optional<Instant> began = Optional.empty();
  private int keyframes;
  private boolean forwarding = true;

  /** The number of the one who is shown. */
  private int focus;

  private EgressPart(
      EgressLedger ledger,
      JanusForwarder janus,
      FfmpegPlan plan,
      String task,
      int attempt,
      int number,
      WorkFolder folder,
      WaitingFile note,
      GuardedFfmpeg ffmpeg) {
    this.ledger = ledger;
    this.janus = janus;
    this.plan = plan;
    this.task = task;
    this.attempt = attempt;
    this.number = number;
    this.folder = folder;
    this.waiting = new ArrayDeque<>(List.of(note));
    this.ffmpeg = ffmpeg;
  }

  /** What another pod must know of a part: whom it shows, and what Janus forwards for it. */
  record PartNote(
      Instant startedAt, List<NotedPublisher> publishers, List<NotedForward> forwards) {}

  /** A publisher and the number of its voice. */
  record NotedPublisher(int voice, String id, String name) {}

  /** A forwarding that is to be stopped. */
  record NotedForward(String publisher, long stream) {}

  /** A complete file that is to be stored; its size is in bytes. */
  private record WaitingFile(BlobKey key, Path file, long size) {
    private static WaitingFile of(BlobKey key, Path file) throws IOException {
      return new WaitingFile(key, file, Files.size(file));
    }
  }

  /** Has the publishers forwarded, and starts ffmpeg; a note of both is the first to be stored. */
  static EgressPart start(
      EgressConfig config,
      EgressRequest request,
      EgressLedger ledger,
      JanusForwarder janus,
      List<Publisher> publishers,
      String task,
      int attempt,
      int number)
      throws IOException, InterruptedException, JanusForwarder.ForwardingRefused {
    List<Forward> forwards = new ArrayList<>();
    WorkFolder folder = WorkFolder.open();
    try {
      for (Publisher publisher : publishers) {
        forwards.addAll(janus.forward(publisher));
      }
      List<NotedPublisher> noted = new ArrayList<>();
      for (Publisher publisher : publishers) {
        noted.add(new NotedPublisher(noted.size(), publisher.id(), publisher.name()));
      }
      Path note = folder.file("part.json");
      Files.write(note, Json.bytes(new PartNote(Instant.now(), noted, noted(forwards))));
      FfmpegPlan plan = new FfmpegPlan(request, config.host(), publishers, forwards);
      Files.writeString(folder.file("in.sdp"), plan.sdp());
      return new EgressPart(
          ledger,
          janus,
          plan,
          task,
          attempt,
          number,
          folder,
          WaitingFile.of(ledger.key("%03d-%03d/part.json".formatted(attempt, number)), note),
          GuardedFfmpeg.start(config.ffmpeg(), plan, folder.path()));
    } catch (IOException | JanusForwarder.ForwardingRefused | InterruptedException failed) {
      janus.stopAll(noted(forwards));
      folder.close();
      throw failed;
    }
  }

  private static List<NotedForward> noted(List<Forward> forwards) {
    return forwards.stream()
        .map(it -> new NotedForward(it.publisher().id(), it.streamId()))
        .toList();
  }

  List<Publisher> publishers() {
    return plan.publishers();
  }

  /**
   * Whether all of its streams are still forwarded. A publisher who unpublishes and publishes again
   * between two looks is listed as before.
   */
  boolean isForwarded() throws IOException, InterruptedException {
    return janus.forwards(noted(plan.forwards()));
  }

  boolean alive() {
    return ffmpeg.alive();
  }

  String lastWords() {
    return ffmpeg.lastWords();
  }

  Duration cpu() {
    return ffmpeg.cpu();
  }

  /** Whether something was made, or was pushed. */
  boolean flows() {
    return flows(plan.request().kind(), !made.isEmpty(), ffmpeg.age());
  }

  /** Whether a run of ffmpeg worked; what is pushed is not seen here, so that its age must do. */
  static boolean flows(EgressKind kind, boolean made, Duration age) {
    return switch (kind) {
      case EgressKind.RecordRoom _, EgressKind.StreamRoom _, EgressKind.PictureRoom _ -> made;
      case EgressKind.PushRoom _ -> age.compareTo(REACHED) >= 0;
    };
  }

  /** Shows the one who speaks, where one alone is shown; who is shown and speaks stays. */
  void focus(Set<String> talking) throws IOException {
    List<String> ids = plan.publishers().stream().map(Publisher::id).toList();
    if (!plan.selects() || talking.contains(ids.get(focus))) {
      return;
    }
    Optional<String> speaker = ids.stream().filter(talking::contains).findFirst();
    if (speaker.isPresent()) {
      focus = ids.indexOf(speaker.get());
      ffmpeg.command(FfmpegPlan.SELECTION, "map " + focus);
    }
  }

  /** Collects what has become complete, for {@link #put}. */
  void collect() throws IOException {
    if (keyframes < KEYFRAMES_MAX && made.isEmpty()) {
      keyframes++;
      requestKeyframes();
    }
    switch (plan.request().kind()) {
      case EgressKind.RecordRoom _ -> {
        segments(FfmpegPlan.SEGMENTS, EgressSegment.WHOLE);
        for (int i = 0; i < plan.publishers().size(); i++) {
          segments(FfmpegPlan.voices(i), "voice-" + i);
        }
      }
      case EgressKind.StreamRoom _ -> segments(FfmpegPlan.SEGMENTS, EgressSegment.WHOLE);
      case EgressKind.PictureRoom _ -> pictures();
      case EgressKind.PushRoom _ -> {}
    }
  }

  /** Whether a file is to be stored. */
  boolean waits() {
    return !waiting.isEmpty();
  }

  /**
   * The call, for any thread, that puts the first file that waits into the store and returns its
   * size in bytes. The file goes on waiting until it is {@link #stored}.
   */
  StoreCall<Long> put() {
    WaitingFile first = waiting.getFirst();
    boolean latest = waiting.size() == 1 && first.key().text().endsWith(".png");
    return () -> {
      if (latest) {
        long _ = ledger.put(ledger.key("latest.png"), first.file());
      }
      return ledger.put(first.key(), first.file());
    };
  }

  /** Notes that the first file that waits is in the store. */
  void stored(long size) throws IOException {
    WaitingFile first = waiting.removeFirst();
    ledger.stored(first.key(), first.file(), size);
  }

  /** The bytes that wait on the disk. */
  long waitingBytes() {
    return waiting.stream().mapToLong(WaitingFile::size).sum();
  }

  private void requestKeyframes() {
    try {
      for (Forward forward : plan.forwards()) {
        janus.requestKeyframe(forward);
      }
    } catch (IOException away) {
      log.debug("no whole picture was asked for: {}", away.toString());
    }
  }

  private void segments(String list, String stream) throws IOException {
    Path csv = folder.file(list);
    if (!Files.exists(csv)) {
      return;
    }
    String text = Files.readString(csv);
    // The last line may not be complete.
    List<String> lines = text.substring(0, text.lastIndexOf('\n') + 1).lines().toList();
    int from = Objects.requireNonNullElse(read.put(stream, lines.size()), 0);
    for (String line : lines.subList(from, lines.size())) {
      String[] fields = line.split(",", -1);
      Duration start = seconds(fields[1]);
      Duration end = seconds(fields[2]);
      if (began.isEmpty()) {
        began = Optional.of(Instant.now().minus(end));
      }
      if (end.compareTo(start) <= 0) {
        // What ended before its first sound has a head alone, which nothing can join.
        Files.delete(folder.file(fields[0]));
        continue;
      }
      int its = made.merge(stream, 1, Integer::sum);
      waiting.add(
          WaitingFile.of(
              new EgressSegment(
                      task,
                      attempt,
                      number,
                      stream,
                      its,
                      began.get().plus(start),
                      end.minus(start),
                      fields[0].substring(fields[0].lastIndexOf('.') + 1))
                  .key(),
              folder.file(fields[0])));
    }
  }

  private void pictures() throws IOException {
    List<Path> pictures;
    try (Stream<Path> files = Files.list(folder.path())) {
      pictures =
          files
              .filter(file -> file.getFileName().toString().matches("picture-\\d+\\.png"))
              .sorted()
              .toList();
    }
    for (Path picture : pictures) {
      int its = made.merge("picture", 1, Integer::sum);
      // Under another name it is not collected again.
      waiting.add(
          WaitingFile.of(
              ledger.key("%03d-%03d/picture-%06d.png".formatted(attempt, number, its)),
              Files.move(picture, folder.file("waiting-" + its))));
    }
  }

  private static Duration seconds(String text) {
    return Duration.ofMillis(Math.round(Double.parseDouble(text) * 1000));
  }

  /** Ends ffmpeg so that all it has is complete, collects that, and ends the forwarding. */
  void end() throws IOException, InterruptedException {
    Duration _ = ffmpeg.cpu();
    ffmpeg.end();
    collect();
    stopForwarding();
  }

  /** Kills what runs, ends the forwarding, and deletes what waits. */
  @Override
  public void close() {
    ffmpeg.close();
    try {
      folder.close();
    } catch (IOException left) {
      log.warn("{} is not deleted: {}", folder.path(), left.toString());
    }
    try {
      stopForwarding();
    } catch (InterruptedException stopped) {
      // Another attempt ends what is left.
      Thread.currentThread().interrupt();
    }
  }

  private void stopForwarding() throws InterruptedException {
    if (forwarding) {
      janus.stopAll(noted(plan.forwards()));
      forwarding = false;
    }
  }
}
