package io.convoke.agent;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.HotSpotDiagnosticMXBean;
import io.convoke.engine.testhook.TestSignal;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a bot leaves in a program that goes on after it. */
class FinishedBotTest {
  private static final Duration SOON = Duration.ofSeconds(20);

  @Timeout(20)
  @Test
  void aBotWhoseLaunchIsOverLeavesNoSenderOfReportsBehind(@TempDir Path folder) throws Exception {
    Set<String> before = senders(folder.resolve("before"));
    try (FakeControlPlane plane = new FakeControlPlane();
        TestSignal.SignalObservation<FakeControlPlane.Call> heard = plane.heard.observe()) {
      BotRunner runner =
          new BotRunner(
              plane.config(Optional.of("http://example"), Optional.empty(), AutomaticLeave.DEFAULT),
              new ExampleBot(),
              new RetryPolicy(Duration.ofMillis(5), Duration.ofMillis(20), SOON));
      CompletableFuture<ExitCode> life = new CompletableFuture<>();
      Thread _ =
          Thread.ofVirtual()
              .start(
                  () -> {
                    try {
                      boolean _ = life.complete(runner.run());
                    } catch (InterruptedException e) {
                      boolean _ = life.completeExceptionally(e);
                    }
                  });
      FakeControlPlane.Call _ = heard.await(call -> call.name().equals("joined"), SOON);
      plane.answer = 410;
      assertThat(life.get(20, TimeUnit.SECONDS)).isEqualTo(ExitCode.TOLD_TO_GO);
    }
    for (int i = 0; !before.containsAll(senders(folder.resolve("after-" + i))); i++) {
      Thread.onSpinWait();
    }
  }

  /** The threads that send reports, with their numbers. */
  private static Set<String> senders(Path dump) throws IOException {
    ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
        .dumpThreads(dump.toString(), HotSpotDiagnosticMXBean.ThreadDumpFormat.TEXT_PLAIN);
    try (Stream<String> lines = Files.lines(dump)) {
      return lines
          .filter(it -> it.matches("#\\d+ \"(transcript segments|chat messages|attendance)\".*"))
          .map(it -> it.substring(0, it.indexOf(' ')))
          .collect(Collectors.toSet());
    }
  }
}
