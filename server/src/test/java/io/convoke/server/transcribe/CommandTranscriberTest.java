package io.convoke.server.transcribe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.server.transcribe.Transcriber.TranscriptionResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A command's output becomes segments; its exit code decides on a retry. */
class CommandTranscriberTest {
  @TempDir private Path folder;

  @Test
  void linesOfJsonAreSegmentsAsSoonAsTheyAreThere() throws Exception {
    TranscriptionNotes transcriptionNotes = new TranscriptionNotes();
    TranscriptionResult transcriptionResult =
        run(
            """
            echo '{"start": 0.5, "end": 1.5, "text": " Hello ", "speaker": "Ada", "language": "en"}'
            echo 'INFO {not json'
            echo '{"start": 1.5, "end": 4, "text": "World"}'
            echo '[{"start": "4", "end": "5", "text": "Again"}]'; true\
            """,
            transcriptionNotes);
    assertThat(transcriptionNotes.heard)
        .startsWith(
            new TranscriptSegment(0.5, 1.5, "Hello", Optional.of("Ada"), Optional.of("en")),
            TranscriptSegment.of(1.5, 4, "World"),
            TranscriptSegment.of(4, 5, "Again"));
    assertThat(((TranscriptionResult.AudioTranscribed) transcriptionResult).segments())
        .containsExactlyElementsOf(transcriptionNotes.heard);
    assertThat(transcriptionNotes.progress.getFirst()).isEqualTo(1.5 / 8);
  }

  @Test
  void timesThatCannotBeCostNoWords() throws Exception {
    TranscriptionResult transcriptionResult =
        run(
            """
            echo '{"start": -0.02, "end": 1, "text": "early"}'
            echo '{"start": 2, "end": 1.5, "text": "backwards"}'
            echo '{"start": 1e18, "end": 1e300, "text": "far"}'; true\
            """,
            new TranscriptionNotes());
    assertThat(((TranscriptionResult.AudioTranscribed) transcriptionResult).segments())
        .containsExactly(
            TranscriptSegment.of(0, 1, "early"),
            TranscriptSegment.of(2, 2, "backwards"),
            TranscriptSegment.of(1e7, 1e7, "far"));
  }

  @Test
  void plainLinesAreSpreadOverTheAudioByTheirLength() throws Exception {
    TranscriptionResult transcriptionResult =
        run("echo abc; echo; echo abcdefghi; test -f", new TranscriptionNotes());
    assertThat(((TranscriptionResult.AudioTranscribed) transcriptionResult).segments())
        .containsExactly(
            TranscriptSegment.of(0, 2, "abc"), TranscriptSegment.of(2, 8, "abcdefghi"));
  }

  @Test
  void theFileIsQuotedWhereTheLineWantsIt() throws Exception {
    Path strange = Files.move(TestWav.tone(folder, 1), folder.resolve("it's $(a) name.wav"));
    Transcriber transcriber =
        TranscriberFactory.of("command:test -s {audio} && echo heard", Optional.empty())
            .orElseThrow();
    assertThat(transcriber.transcribe(strange, Transcriber.TranscriptionListener.NONE))
        .isEqualTo(
            new TranscriptionResult.AudioTranscribed(List.of(TranscriptSegment.of(0, 1, "heard"))));
  }

  @Test
  void exitCode65RefusesTheAudioAndAnyOtherMayWorkTheNextTime() throws Exception {
    assertThat(run("echo no speech in it >&2; exit 65;", new TranscriptionNotes()))
        .isEqualTo(
            new TranscriptionResult.AudioRefused("the command refuses the audio: no speech in it"));
    assertThatThrownBy(() -> run("echo out of memory >&2; exit 1;", new TranscriptionNotes()))
        .isInstanceOf(IOException.class)
        .hasMessage("the command ended with 1: out of memory");
  }

  /** A retry takes stored pieces of the same command, or of the same server, alone. */
  @Test
  void transcribersThatMaySayOtherWordsAreToldApart() {
    assertThat(
            Stream.of(
                    "command:listen --model small {audio}",
                    "command:listen --model large {audio}",
                    "openai:http://one.example",
                    "openai:http://two.example",
                    "whisperlive:ws://one.example",
                    "whisperlive:ws://two.example")
                .map(text -> TranscriberFactory.of(text, Optional.empty()).orElseThrow())
                .map(Transcriber::configuration))
        .doesNotHaveDuplicates();
  }

  @Test
  void aLineThatIsTooLongIsAFailure() {
    String line = "yes | head -c 3000000 | tr -d '\\n'; true";
    assertThatThrownBy(() -> run(line, new TranscriptionNotes()))
        .isInstanceOf(IOException.class)
        .hasMessage("the command printed a line of more than 1000000 characters");
  }

  @Test
  void aCommandDoesNotSeeOurConfiguration() throws Exception {
    TranscriptionResult transcriptionResult =
        run("env | cut -d= -f1 | sort | tr '\\n' ' '; test -f", new TranscriptionNotes());
    assertThat(
            ((TranscriptionResult.AudioTranscribed) transcriptionResult)
                .segments()
                .getFirst()
                .text()
                .split(" "))
        .isSubsetOf("HOME", "LANG", "PATH", "PWD", "OLDPWD", "SHLVL", "_");
  }

  @Test
  void anInterruptEndsTheCommand() throws Exception {
    Path pid = folder.resolve("pid");
    Path audio = TestWav.tone(folder, 1);
    Transcriber transcriber =
        TranscriberFactory.of(
                "command:echo $$ > " + pid + "; echo '[]'; echo ready; exec sleep 600 #",
                Optional.empty())
            .orElseThrow();
    Thread thread =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    var _ = transcriber.transcribe(audio, Transcriber.TranscriptionListener.NONE);
                  } catch (IOException | InterruptedException e) {
                    // The requested name.
                  }
                });
    while (!Files.exists(pid) || Files.size(pid) == 0) {
      LockSupport.parkNanos(10_000_000);
    }
    long started = Long.parseLong(Files.readString(pid).strip());
    thread.interrupt();
    ProcessHandle.of(started).ifPresent(it -> assertThat(ended(it)).isTrue());
    assertThat(thread.join(java.time.Duration.ofSeconds(20))).isTrue();
  }

  private static boolean ended(ProcessHandle process) {
    try {
      var _ = process.onExit().get(20, TimeUnit.SECONDS);
      return true;
    } catch (Exception e) {
      return false;
    }
  }

  private TranscriptionResult run(String script, TranscriptionNotes transcriptionNotes)
      throws IOException, InterruptedException {
    Path audio = TestWav.tone(folder, 8);
    return TranscriberFactory.of("command:" + script, Optional.empty())
        .orElseThrow()
        .transcribe(audio, transcriptionNotes);
  }
}
