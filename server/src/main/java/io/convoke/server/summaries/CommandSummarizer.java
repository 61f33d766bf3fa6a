package io.convoke.server.summaries;

import io.convoke.agent.process.WorkFolder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Any program, run by {@code sh -c}: the instruction, an empty line and the transcript are its
 * standard input, and what it prints is the answer. Exit code 0 is success, 65 means that this text
 * cannot be summarized, any other one that a retry may succeed. The program sees {@code PATH},
 * {@code HOME} and {@code LANG}, never the server's configuration.
 */
final class CommandSummarizer implements Summarizer {
  private static final Duration LONGEST = Duration.ofMinutes(10);

  /** EX_DATAERR of sysexits. */
  private static final int BAD_TEXT = 65;

  private static final int ANSWER_BYTES_MAX = 4 * 1024 * 1024;
  private static final int SAID_MAX = 300;
  private static final int SAID_BYTES_MAX = 4 * SAID_MAX;

  private final String command;
  private final int charsMax;

  CommandSummarizer(String command, int charsMax) {
    this.command = command;
    this.charsMax = charsMax;
  }

  @Override
  public String name() {
    return "command";
  }

  @Override
  public int charsMax() {
    return charsMax;
  }

  @Override
  public SummarizerAnswer answer(String instruction, String text)
      throws IOException, InterruptedException {
    try (WorkFolder folder = WorkFolder.open()) {
      Path input = Files.writeString(folder.file("input"), instruction + "\n\n" + text);
      return run(input, folder.file("answer"), folder.file("errors"));
    }
  }

  /** Files are its streams, because a program may read or write nothing for as long as it likes. */
  private SummarizerAnswer run(Path input, Path answer, Path errors)
      throws IOException, InterruptedException {
    ProcessBuilder builder = new ProcessBuilder("sh", "-c", command);
    builder.environment().keySet().retainAll(List.of("PATH", "HOME", "LANG"));
    builder.redirectInput(input.toFile());
    builder.redirectOutput(answer.toFile()).redirectError(errors.toFile());
    Process process = builder.start();
    try {
      if (!process.waitFor(LONGEST.toSeconds(), TimeUnit.SECONDS)) {
        throw new IOException("the command took longer than " + LONGEST.toMinutes() + " minutes");
      }
      return switch (process.exitValue()) {
        case 0 -> {
          if (Files.size(answer) > ANSWER_BYTES_MAX) {
            yield new SummarizerAnswer.SummarizerRefused("the command printed too much");
          }
          yield new SummarizerAnswer.SummarizerAnswered(
              new String(Files.readAllBytes(answer), StandardCharsets.UTF_8));
        }
        case BAD_TEXT ->
            new SummarizerAnswer.SummarizerRefused("the command refuses: " + said(errors));
        default ->
            throw new IOException(
                "the command ended with " + process.exitValue() + ": " + said(errors));
      };
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      var _ = process.destroyForcibly();
    }
  }

  /** The end of what the program complained, however much that is. */
  private static String said(Path errors) throws IOException {
    ByteBuffer end = ByteBuffer.allocate(SAID_BYTES_MAX);
    try (SeekableByteChannel file = Files.newByteChannel(errors)) {
      var _ = file.position(Math.max(0, file.size() - SAID_BYTES_MAX));
      while (end.hasRemaining() && file.read(end) >= 0) {
        // More of it.
      }
    }
    String text =
        new String(end.array(), 0, end.position(), StandardCharsets.UTF_8)
            .replace("\0", "")
            .strip();
    return text.substring(Math.max(0, text.length() - SAID_MAX));
  }
}
