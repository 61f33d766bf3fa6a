package io.convoke.agent.meeting;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A transcriber of one speaker that is gone for good. */
class SpeechProcessTest {
  private static final Duration SOON = Duration.ofSeconds(10);

  @Test
  void theEndOfTheSoundDoesNotWaitForATranscriberThatIsGone()
      throws IOException, InterruptedException {
    Set<Thread> before = Thread.getAllStackTraces().keySet();
    SpeechProcess process = new SpeechProcess("cat >/dev/null", "Ada", _ -> {});
    Thread sound =
        Thread.getAllStackTraces().keySet().stream()
            .filter(thread -> thread.getName().equals("sound") && !before.contains(thread))
            .findFirst()
            .orElseThrow();
    // Stands for a restart that fails: either ends what gives it the sound.
    sound.interrupt();
    assertThat(sound.join(SOON)).isTrue();
    for (int piece = 0; piece < 2000; piece++) {
      process.samples(new byte[320]);
    }
    assertThat(CompletableFuture.runAsync(process::close)).succeedsWithin(SOON);
  }
}
