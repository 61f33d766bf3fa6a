package io.convoke.server.transcribe;

import io.convoke.server.media.SpeechWav;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import tools.jackson.databind.JsonNode;

/**
 * Any program that prints a transcript, run by {@code sh -c}. {@code {audio}} in the line becomes
 * the quoted name of the file; without it the name comes last.
 *
 * <p>A line of standard output that is a JSON object with {@code start}, {@code end} and {@code
 * text} is a segment (with optional {@code speaker} and {@code language}), delivered as soon as it
 * is printed; a JSON array is many. Other lines are words without times, which are spread over the
 * audio by their length. A line of more than {@link #LINE_MAX} characters is a failure. Exit code 0
 * is success, 65 means that this audio cannot be transcribed, any other one that a retry may
 * succeed.
 *
 * <p>The program sees {@code PATH}, {@code HOME} and {@code LANG}, never the server's
 * configuration.
 */
final class CommandTranscriber implements Transcriber {
  /** EX_DATAERR of sysexits. */
  private static final int BAD_AUDIO = 65;

  private static final String AUDIO = "{audio}";
  private static final int LAST_WORDS = 500;
  private static final int LINE_MAX = 1_000_000;
  private static final int LINES_WAITING = 1000;

  private final String command;

  CommandTranscriber(String command) {
    this.command = command;
  }

  @Override
  public String name() {
    return "command";
  }

  @Override
  public String configuration() {
    return name() + " " + command;
  }

  @Override
  public TranscriptionResult transcribe(Path audio, TranscriptionListener transcriptionListener)
      throws IOException, InterruptedException {
    Optional<Double> seconds = SpeechWav.open(audio).map(SpeechWav::seconds);
    Process process = start(audio);
    FutureTask<String> errors = new FutureTask<>(() -> lastLines(process.errorReader()));
    var _ = Thread.ofVirtual().name("transcriber-errors").start(errors);
    BlockingQueue<Optional<String>> lines = new ArrayBlockingQueue<>(LINES_WAITING);
    // A read from a pipe cannot be interrupted, so it has a thread of its own.
    Thread reader = Thread.ofVirtual().name("transcriber-lines").start(() -> read(process, lines));
    try {
      List<TranscriptSegment> segments = new ArrayList<>();
      List<String> plain = new ArrayList<>();
      for (Optional<String> line = lines.take(); line.isPresent(); line = lines.take()) {
        List<TranscriptSegment> more = segments(line.get(), plain);
        segments.addAll(more);
        if (!more.isEmpty()) {
          transcriptionListener.onSegments(more);
          double end = more.getLast().end();
          transcriptionListener.progress(
              seconds.filter(all -> all > 0).map(all -> end / all).orElse(0.0));
        }
      }
      int code = process.waitFor();
      return switch (code) {
        case 0 -> {
          List<TranscriptSegment> spread = distribute(plain, seconds.orElse(0.0));
          if (!spread.isEmpty()) {
            transcriptionListener.onSegments(spread);
            segments.addAll(spread);
          }
          yield new TranscriptionResult.AudioTranscribed(segments);
        }
        case BAD_AUDIO ->
            new TranscriptionResult.AudioRefused("the command refuses the audio: " + said(errors));
        default -> throw new IOException("the command ended with " + code + ": " + said(errors));
      };
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      var _ = process.destroyForcibly();
      reader.interrupt();
    }
  }

  /** Passes lines on, then the end. */
  private static void read(Process process, BlockingQueue<Optional<String>> lines) {
    try {
      try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
        for (Optional<String> line = line(output); line.isPresent(); line = line(output)) {
          lines.put(line);
        }
      } catch (IOException ended) {
        // Its exit code gives the reason.
      }
      lines.put(Optional.empty());
    } catch (InterruptedException nobodyListens) {
      Thread.currentThread().interrupt();
    }
  }

  /** The next line, or the first {@link #LINE_MAX} characters of a longer one and one more. */
  private static Optional<String> line(BufferedReader output) throws IOException {
    StringBuilder line = new StringBuilder();
    int character = output.read();
    if (character < 0) {
      return Optional.empty();
    }
    while (character >= 0 && character != '\n' && character != '\r') {
      line.append((char) character);
      if (line.length() > LINE_MAX) {
        break;
      }
      character = output.read();
    }
    return Optional.of(line.toString());
  }

  private Process start(Path audio) throws IOException {
    String file = "'" + audio.toString().replace("'", "'\\''") + "'";
    String line = command.contains(AUDIO) ? command.replace(AUDIO, file) : command + " " + file;
    ProcessBuilder builder = new ProcessBuilder("sh", "-c", line);
    builder.environment().keySet().retainAll(List.of("PATH", "HOME", "LANG"));
    builder.redirectInput(ProcessBuilder.Redirect.from(new java.io.File("/dev/null")));
    return builder.start();
  }

  /** The segments of a line; lines without times are collected. */
  private static List<TranscriptSegment> segments(String raw, List<String> plain)
      throws IOException {
    if (raw.length() > LINE_MAX) {
      throw new IOException("the command printed a line of more than " + LINE_MAX + " characters");
    }
    String line = SegmentParser.clean(raw, LINE_MAX);
    Optional<JsonNode> json = SegmentParser.json(line);
    if (json.isEmpty()) {
      if (!line.isEmpty()) {
        plain.add(line);
      }
      return List.of();
    }
    return json.get().isArray()
        ? SegmentParser.readAll(json.get(), Optional.empty())
        : SegmentParser.read(json.get(), Optional.empty()).stream().toList();
  }

  /** Gives each line the part of the audio that its length is of all lines. */
  static List<TranscriptSegment> distribute(List<String> lines, double seconds) {
    double characters = lines.stream().mapToInt(String::length).sum();
    List<TranscriptSegment> segments = new ArrayList<>();
    double at = 0;
    for (String line : lines) {
      double end = at + seconds * line.length() / characters;
      segments.add(TranscriptSegment.of(at, end, line));
      at = end;
    }
    return segments;
  }

  private static String lastLines(BufferedReader errors) throws IOException {
    String last = "";
    try (errors) {
      for (Optional<String> line = line(errors); line.isPresent(); line = line(errors)) {
        last = line.filter(text -> !text.isBlank()).orElse(last);
      }
    }
    return SegmentParser.clean(last, LAST_WORDS);
  }

  private static String said(FutureTask<String> errors) throws InterruptedException {
    try {
      return errors.get();
    } catch (ExecutionException e) {
      return "(nothing)";
    }
  }
}
