package io.convoke.agent.egress;

import io.convoke.agent.process.WorkFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.JsonNode;

/** Joins the segments of all attempts: one MP4 of the whole, and an Ogg of each speaker. */
final class EgressJoin {
  private static final Duration JOIN_MAX = Duration.ofMinutes(30);

  private final EgressConfig config;
  private final EgressLedger ledger;

  EgressJoin(EgressConfig config, EgressLedger ledger) {
    this.config = config;
    this.ledger = ledger;
  }

  /** A file of the result; {@code startedAt} is when its first sound or picture was. */
  record JoinedFile(String key, Optional<String> speaker, Instant startedAt, double seconds) {}

  /** Joins and stores all; the segments stay until they are deleted. */
  List<JoinedFile> join(List<EgressSegment> segments) throws IOException, InterruptedException {
    List<JoinedFile> files = new ArrayList<>();
    List<EgressSegment> whole = EgressSegment.whole(segments);
    if (whole.isEmpty()) {
      return files;
    }
    files.add(file("recording.mp4", Optional.empty(), whole, List.of("-movflags", "+faststart")));
    int number = 0;
    for (Map.Entry<Speaker, List<EgressSegment>> one : voices(segments).entrySet()) {
      number++;
      List<EgressSegment> its = one.getValue().stream().sorted(EgressSegment.ORDER).toList();
      files.add(
          file(
              "speaker-%02d.ogg".formatted(number),
              Optional.of(one.getKey().name()),
              its,
              List.of()));
    }
    return files;
  }

  private record Speaker(String id, String name) {}

  /** Which part's voices are whose is in the parts' notes, each of which is read once. */
  private Map<Speaker, List<EgressSegment>> voices(List<EgressSegment> segments)
      throws IOException, InterruptedException {
    Map<Speaker, List<EgressSegment>> all = new LinkedHashMap<>();
    Map<String, Map<String, Speaker>> parts = new HashMap<>();
    for (EgressSegment segment : segments) {
      if (segment.stream().equals(EgressSegment.WHOLE)) {
        continue;
      }
      String note = "%03d-%03d/part.json".formatted(segment.attempt(), segment.part());
      Map<String, Speaker> speakers = parts.get(note);
      if (speakers == null) {
        speakers = speakers(note);
        parts.put(note, speakers);
      }
      Speaker speaker = speakers.get(segment.stream());
      if (speaker != null) {
        boolean _ = all.computeIfAbsent(speaker, _ -> new ArrayList<>()).add(segment);
      }
    }
    return all;
  }

  /** Whose the streams of a part are. */
  private Map<String, Speaker> speakers(String note) throws IOException, InterruptedException {
    JsonNode publishers =
        ledger
            .document(note)
            .orElseThrow(() -> new IOException("the note of a part is not there any more"))
            .path("publishers");
    Map<String, Speaker> speakers = new HashMap<>();
    for (JsonNode publisher : publishers) {
      speakers.put(
          "voice-" + publisher.path("voice").asInt(),
          new Speaker(publisher.path("id").asString(""), publisher.path("name").asString("")));
    }
    return speakers;
  }

  private JoinedFile file(
      String name, Optional<String> speaker, List<EgressSegment> segments, List<String> more)
      throws IOException, InterruptedException {
    try (WorkFolder folder = WorkFolder.open()) {
      StringBuilder list = new StringBuilder();
      for (int i = 0; i < segments.size(); i++) {
        String part = "%06d.%s".formatted(i, segments.get(i).extension());
        ledger.fetch(segments.get(i), folder.file(part));
        // An Ogg's own length counts from the start of its part.
        StringBuilder _ =
            list.append(
                "file %s%nduration %d.%03d%n"
                    .formatted(
                        part,
                        segments.get(i).length().toSeconds(),
                        segments.get(i).length().toMillisPart()));
      }
      Files.writeString(folder.file("list.txt"), list);
      List<String> line =
          new ArrayList<>(
              List.of(
                  config.ffmpeg(),
                  "-hide_banner",
                  "-loglevel",
                  "error",
                  "-nostdin",
                  "-y",
                  "-f",
                  "concat",
                  "-i",
                  "list.txt",
                  "-map",
                  "0",
                  "-c",
                  "copy"));
      line.addAll(more);
      line.add(name);
      Process process =
          new ProcessBuilder(line)
              .directory(folder.path().toFile())
              .redirectErrorStream(true)
              .redirectOutput(folder.file("log").toFile())
              .start();
      try {
        if (!process.waitFor(JOIN_MAX.toSeconds(), TimeUnit.SECONDS) || process.exitValue() != 0) {
          throw new IOException(
              "the parts cannot be joined: " + Files.readString(folder.file("log")).strip());
        }
      } finally {
        var _ = process.destroyForcibly();
      }
      boolean _ =
          ledger.patiently(
              () -> {
                ledger.store(ledger.key(name), folder.file(name));
                return true;
              });
    }
    return new JoinedFile(
        ledger.key(name).text(),
        speaker,
        segments.getFirst().began(),
        segments.stream().mapToLong(segment -> segment.length().toMillis()).sum() / 1000.0);
  }
}
