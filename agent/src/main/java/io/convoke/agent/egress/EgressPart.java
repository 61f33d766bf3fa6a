package io.convoke.agent.egress;

import io.convoke.agent.egress.EgressRequest.EgressKind;
import io.convoke.agent.egress.JanusForwarder.Forward;
import io.convoke.agent.egress.JanusForwarder.Publisher;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * One run of ffmpeg, for publishers that do not change: stores what is complete, asks for whole
 * pictures until something is.
 */
final class EgressPart implements AutoCloseable {
  /** Whole pictures are asked for this often until the first output. */
  private static final int KEYFRAMES_MAX = 20;

  private final EgressLedger ledger;
  private final JanusForwarder janus;
  private final FfmpegPlan plan;
  private final String task;
  private final int attempt;
  private final int number;
  private final Path folder;
  private final GuardedFfmpeg ffmpeg;
  private final Map<String, Integer> stored = new HashMap<>();

  /** How many lines of each list were read. */
  private final Map<String, Integer> read = new HashMap<>();

  private Optional<Instant> began = Optional.empty();
  private int keyframes;

  /** The number of the one who is shown. */
  private int focus;

  private EgressPart(
      EgressLedger ledger,
      JanusForwarder janus,
      FfmpegPlan plan,
      String task,
      int attempt,
      int number,
      Path folder,
      GuardedFfmpeg ffmpeg) {
    this.ledger = ledger;
    this.janus = janus;
    this.plan = plan;
    this.task = task;
    this.attempt = attempt;
    this.number = number;
    this.folder = folder;
    this.ffmpeg = ffmpeg;
  }

  /** What another pod must know of a part: whom it shows, and what Janus forwards for it. */
  record PartNote(
      Instant startedAt, List<NotedPublisher> publishers, List<NotedForward> forwards) {}

  /** A publisher and the number of its voice. */
  record NotedPublisher(int voice, String id, String name) {}

  /** A forwarding that is to be stopped. */
  record NotedForward(String publisher, long stream) {}

  /** Has the publishers forwarded, and starts ffmpeg. */
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
    Path folder = Files.createTempDirectory("convoke-egress-");
    try {
      for (Publisher publisher : publishers) {
        forwards.addAll(janus.forward(publisher));
      }
      List<NotedPublisher> noted = new ArrayList<>();
      for (Publisher publisher : publishers) {
        noted.add(new NotedPublisher(noted.size(), publisher.id(), publisher.name()));
      }
      ledger.write(
          "%03d-%03d/part.json".formatted(attempt, number),
          new PartNote(
              Instant.now(),
              noted,
              forwards.stream()
                  .map(it -> new NotedForward(it.publisher().id(), it.streamId()))
                  .toList()));
      FfmpegPlan plan = new FfmpegPlan(request, config.host(), publishers, forwards);
      Files.writeString(folder.resolve("in.sdp"), plan.sdp());
      return new EgressPart(
          ledger,
          janus,
          plan,
          task,
          attempt,
          number,
          folder,
          GuardedFfmpeg.start(config.ffmpeg(), plan.arguments(), folder));
    } catch (IOException | JanusForwarder.ForwardingRefused | InterruptedException failed) {
      stop(janus, forwards);
      delete(folder);
      throw failed;
    }
  }

  List<Publisher> publishers() {
    return plan.publishers();
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

  /** Whether something was stored, or is pushed. */
  boolean flows() {
    return !stored.isEmpty() || plan.request().kind() instanceof EgressKind.PushRoom;
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

  /** Stores what has become complete; true if that is something. */
  boolean tick() throws IOException {
    if (keyframes < KEYFRAMES_MAX && stored.isEmpty()) {
      keyframes++;
      for (Forward forward : plan.forwards()) {
        janus.requestKeyframe(forward);
      }
    }
    boolean some = false;
    switch (plan.request().kind()) {
      case EgressKind.RecordRoom _ -> {
        some = segments(FfmpegPlan.SEGMENTS, EgressSegment.WHOLE);
        for (int i = 0; i < plan.publishers().size(); i++) {
          some |= segments(FfmpegPlan.voices(i), "voice-" + i);
        }
      }
      case EgressKind.StreamRoom _ -> some = segments(FfmpegPlan.SEGMENTS, EgressSegment.WHOLE);
      case EgressKind.PictureRoom _ -> some = pictures();
      case EgressKind.PushRoom _ -> {}
    }
    return some;
  }

  private boolean segments(String list, String stream) throws IOException {
    Path csv = folder.resolve(list);
    if (!Files.exists(csv)) {
      return false;
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
      if (end.equals(start)) {
        // What ended before its first sound has a head alone, which nothing can join.
        Files.delete(folder.resolve(fields[0]));
        continue;
      }
      int its = stored.merge(stream, 1, Integer::sum);
      ledger.store(
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
          folder.resolve(fields[0]));
    }
    return lines.size() > from;
  }

  private boolean pictures() throws IOException {
    List<Path> made;
    try (Stream<Path> files = Files.list(folder)) {
      made =
          files
              .filter(file -> file.getFileName().toString().matches("picture-\\d+\\.png"))
              .sorted()
              .toList();
    }
    for (Path picture : made) {
      int its = stored.merge("picture", 1, Integer::sum);
      if (picture.equals(made.getLast())) {
        ledger.copy("latest.png", picture);
      }
      ledger.store(
          ledger.key("%03d-%03d/picture-%06d.png".formatted(attempt, number, its)), picture);
    }
    return !made.isEmpty();
  }

  private static Duration seconds(String text) {
    return Duration.ofMillis(Math.round(Double.parseDouble(text) * 1000));
  }

  /** Ends ffmpeg so that all it has is complete, and stores that. */
  void end() throws IOException, InterruptedException {
    Duration _ = ffmpeg.cpu();
    ffmpeg.end();
    boolean _ = tick();
  }

  /** Kills what runs, and ends the forwarding. */
  @Override
  public void close() throws IOException {
    ffmpeg.close();
    delete(folder);
    try {
      stop(janus, plan.forwards());
    } catch (InterruptedException stopped) {
      // Another attempt ends what is left.
      Thread.currentThread().interrupt();
    }
  }

  private static void stop(JanusForwarder janus, List<Forward> forwards)
      throws IOException, InterruptedException {
    for (Forward forward : forwards) {
      janus.stop(forward.publisher().id(), forward.streamId());
    }
  }

  /** Deletes a folder of files. */
  static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        boolean _ = Files.deleteIfExists(file);
      }
    }
  }
}
