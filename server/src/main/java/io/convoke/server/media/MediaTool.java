package io.convoke.server.media;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/**
 * Converts any recording to the form that transcribers get, with ffmpeg in a process of its own.
 *
 * <p>The file comes from outside and may be hostile. ffmpeg gets the format that the content shows,
 * so that a playlist is never read as one, may open local files only, and has bounds for time,
 * memory and output; its exit code and its output are checked. It sees {@code PATH} and nothing of
 * the server's configuration.
 */
public final class MediaTool {
  /** The code of a failure because ffmpeg is not installed. */
  public static final String MISSING = "media_tool_missing";

  /** The code of a file that cannot be converted. */
  public static final String REFUSED = "media_refused";

  /** Hours of sound; longer than any meeting. */
  private static final int HOURS_MAX = 24;

  private static final Duration TIME_MAX = Duration.ofHours(1);
  private static final Duration STEP = Duration.ofSeconds(1);
  private static final long MEMORY_KIB_MAX = 4L << 20;
  private static final long ONE_ALLOCATION_MAX = 256L << 20;
  private static final int WORDS_MAX = 300;

  /** From this exit code on the process was ended by a signal. */
  private static final int BY_SIGNAL = 128;

  private static final String DISK_FULL = "No space left on device";

  private final String program;
  private final Duration timeMax;

  /** {@code program} is a path, or a name that is looked up on the {@code PATH}. */
  public MediaTool(String program) {
    this(program, TIME_MAX);
  }

  MediaTool(String program, Duration timeMax) {
    this.program = program;
    this.timeMax = timeMax;
  }

  /** The result of a conversion. */
  public sealed interface MediaResult {
    /** The sound, in a file of the form that transcribers get. */
    record MediaReady(SpeechWav wav) implements MediaResult {}

    /** It cannot be had from this file; {@code why} begins with the code. */
    record MediaFailed(String why) implements MediaResult {}
  }

  /** Called now and then while a conversion runs. */
  @FunctionalInterface
  public interface MediaHeartbeat {
    void beat() throws InterruptedException;
  }

  /** Where the program is; empty when it is not installed. */
  public Optional<Path> find() {
    if (program.contains(File.separator)) {
      return Optional.of(Path.of(program)).filter(Files::isExecutable);
    }
    return Arrays.stream(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1))
        .filter(folder -> !folder.isEmpty())
        .map(folder -> Path.of(folder, program))
        .filter(path -> Files.isRegularFile(path) && Files.isExecutable(path))
        .findFirst();
  }

  /**
   * The sound of a file in the form that transcribers get: the file itself if it has that form
   * already, which needs no ffmpeg, or else what ffmpeg writes to {@code target}.
   *
   * @throws IOException when a retry may succeed
   */
  public MediaResult speech(Path file, Path target, MediaHeartbeat heartbeat)
      throws IOException, InterruptedException {
    Optional<SpeechWav> asItIs = SpeechWav.open(file);
    if (asItIs.isPresent()) {
      return new MediaResult.MediaReady(asItIs.get());
    }
    MediaFormat format = format(file);
    Optional<Path> tool = find();
    if (tool.isEmpty()) {
      return new MediaResult.MediaFailed(
          MISSING
              + ": the recording is "
              + format.mediaType()
              + ", which needs ffmpeg, and "
              + program
              + " is not there; install it or set CONVOKE_FFMPEG, then retry");
    }
    Optional<String> demuxer = format.demuxer();
    if (demuxer.isEmpty()) {
      return new MediaResult.MediaFailed(REFUSED + ": the file is not WAV, MP3, Ogg, WebM or MP4");
    }
    return convert(tool.get(), demuxer.get(), file, target, heartbeat);
  }

  private static MediaFormat format(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      return MediaFormat.of(in.readNBytes(MediaFormat.TELLING));
    }
  }

  private MediaResult convert(
      Path tool, String demuxer, Path file, Path target, MediaHeartbeat heartbeat)
      throws IOException, InterruptedException {
    Process process = start(tool, demuxer, file, target);
    FutureTask<String> errors = new FutureTask<>(() -> lastLine(process.errorReader()));
    var _ = Thread.ofVirtual().name("ffmpeg-errors").start(errors);
    try {
      long deadline = System.nanoTime() + timeMax.toNanos();
      while (!process.waitFor(STEP.toNanos(), TimeUnit.NANOSECONDS)) {
        heartbeat.beat();
        if (System.nanoTime() > deadline) {
          return new MediaResult.MediaFailed(
              REFUSED + ": ffmpeg is not done after " + timeMax.toSeconds() + " seconds");
        }
      }
      return result(process.exitValue(), said(errors, file, target), target);
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      var _ = process.destroyForcibly();
    }
  }

  private static MediaResult result(int code, String said, Path target) throws IOException {
    if (code >= BY_SIGNAL || said.contains(DISK_FULL)) {
      throw new IOException("ffmpeg ended with " + code + ": " + said);
    }
    if (code != 0) {
      String why = said.contains("matches no streams") ? "it has no audio track" : said;
      return new MediaResult.MediaFailed(REFUSED + ": ffmpeg cannot read the file: " + why);
    }
    Optional<SpeechWav> wav = Files.exists(target) ? SpeechWav.open(target) : Optional.empty();
    if (wav.isEmpty() || wav.get().dataBytes() == 0) {
      return new MediaResult.MediaFailed(REFUSED + ": the file has no sound. " + said);
    }
    return wav.get().seconds() < Duration.ofHours(HOURS_MAX).toSeconds()
        ? new MediaResult.MediaReady(wav.get())
        : new MediaResult.MediaFailed(REFUSED + ": it is longer than " + HOURS_MAX + " hours");
  }

  private static Process start(Path tool, String demuxer, Path file, Path target)
      throws IOException {
    List<String> line = new ArrayList<>();
    // The shell bounds the memory where the system can, and then becomes ffmpeg.
    line.addAll(
        List.of("sh", "-c", "ulimit -v " + MEMORY_KIB_MAX + " 2>/dev/null; exec \"$0\" \"$@\""));
    line.add(tool.toAbsolutePath().toString());
    line.addAll(List.of("-nostdin", "-hide_banner", "-loglevel", "error", "-y"));
    line.addAll(List.of("-threads", "1", "-max_alloc", Long.toString(ONE_ALLOCATION_MAX)));
    line.addAll(List.of("-protocol_whitelist", "file", "-f", demuxer));
    line.addAll(List.of("-i", "file:" + file.toAbsolutePath()));
    line.addAll(List.of("-map", "0:a:0", "-vn", "-sn", "-dn", "-map_metadata", "-1"));
    // Gaps in a track of a live call become silence: without them every later word is too early.
    line.addAll(List.of("-af", "aresample=async=1:first_pts=0", "-ac", "1"));
    line.addAll(List.of("-ar", Integer.toString(SpeechWav.RATE), "-c:a", "pcm_s16le"));
    line.addAll(List.of("-t", Integer.toString(HOURS_MAX * 3600), "-bitexact", "-f", "wav"));
    line.add("file:" + target.toAbsolutePath());
    ProcessBuilder builder = new ProcessBuilder(line);
    builder.environment().keySet().retainAll(List.of("PATH"));
    builder.redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")));
    builder.redirectOutput(ProcessBuilder.Redirect.DISCARD);
    return builder.start();
  }

  private static String lastLine(BufferedReader errors) throws IOException {
    String last = "";
    try (errors) {
      for (String line = errors.readLine(); line != null; line = errors.readLine()) {
        boolean reason = !line.isBlank() && !line.startsWith("To ignore this");
        last = reason ? line.substring(0, Math.min(line.length(), 4 * WORDS_MAX)) : last;
      }
    }
    return last;
  }

  /** The last words of ffmpeg, without the names of our files. */
  private static String said(FutureTask<String> errors, Path file, Path target)
      throws InterruptedException {
    try {
      String clean =
          errors
              .get()
              .replace("file:" + file.toAbsolutePath(), "the file")
              .replace("file:" + target.toAbsolutePath(), "the output")
              .replaceAll("\\p{Cntrl}+", " ")
              .strip();
      return clean.substring(0, Math.min(clean.length(), WORDS_MAX));
    } catch (ExecutionException e) {
      return "";
    }
  }
}
