package io.convoke.agent.meeting;

import io.convoke.agent.CommandRefusedException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** Turns words into sound with {@code espeak-ng}, one process for each speech. */
final class Synthesizer {
  private static final Pattern VOICE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9+_-]{0,63}");

  private final String program;

  /** {@code program} is espeak-ng, by its path or found by its name. */
  Synthesizer(String program) {
    this.program = program;
  }

  /**
   * Begins to speak. The process writes as fast as its sound is read, and ends with it.
   *
   * @throws CommandRefusedException if there is no such voice, or no synthesizer
   */
  PlayedSound speak(String text, Optional<String> voice) throws CommandRefusedException {
    if (voice.filter(name -> !VOICE.matcher(name).matches()).isPresent()) {
      throw new CommandRefusedException("there is no voice of this name");
    }
    List<String> command = new ArrayList<>(List.of(program, "--stdin", "--stdout", "-b", "1"));
    voice.ifPresent(name -> command.addAll(List.of("-v", name)));
    Process process;
    try {
      process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
      try (OutputStream in = process.getOutputStream()) {
        in.write(text.getBytes(StandardCharsets.UTF_8));
      } catch (IOException refused) {
        process.destroy();
      }
    } catch (IOException missing) {
      throw new CommandRefusedException("the bot has no synthesizer: espeak-ng is missing");
    }
    try {
      return PlayedSound.open(new SpeechOutput(process));
    } catch (IOException silent) {
      throw new CommandRefusedException(
          voice.isPresent() ? "there is no voice of this name" : "the synthesizer said nothing");
    }
  }

  /** What the process writes; it ends with it. */
  private static final class SpeechOutput extends FilterInputStream {
    private final Process process;

    private SpeechOutput(Process process) {
      super(process.getInputStream());
      this.process = process;
    }

    @Override
    public void close() throws IOException {
      process.destroyForcibly();
      super.close();
    }
  }
}
