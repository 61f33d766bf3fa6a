package io.convoke.bench.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** A process that has ended costs nothing, which is no measurement. */
final class WatchedProcessTest {
  @Test
  void whatHasEndedIsNotMeasured() throws Exception {
    try (WatchedProcess runs = watched("echo ready; read line")) {
      runs.requireRunning();
      runs.kill();
      assertThatThrownBy(runs::requireRunning)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("ended");
      assertThat(runs.lines()).isEmpty();
    }
  }

  private static WatchedProcess watched(String script) throws Exception {
    return new WatchedProcess(new ProcessBuilder("sh", "-c", script).start());
  }
}
