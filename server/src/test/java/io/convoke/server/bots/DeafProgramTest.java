package io.convoke.server.bots;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.testhook.TestSignal;
import io.convoke.server.launch.Await;
import io.convoke.server.launch.process.BotCommandLine;
import io.convoke.server.launch.process.ProcessLauncher;
import io.convoke.server.meetings.Meeting;
import io.convoke.server.meetings.MeetingStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A bot behind a shell that ignores SIGTERM: its row is over only when the program is. */
@Tag("nightly")
class DeafProgramTest {
  private static final Duration GRACE = Duration.ofSeconds(1);

  @TempDir Path folder;
  private ProcessLauncher launcher;
  private BotsTestServer testServer;

  @BeforeEach
  void open() throws IOException {
    Path pid = folder.resolve("pid");
    Path program = folder.resolve("deaf");
    Files.writeString(
        program, "trap '' TERM\necho $$ > " + pid + "\nwhile :; do sleep 0.05; done\n");
    launcher = new ProcessLauncher(folder, BotCommandLine.shell("sh " + program + "; exit 5"));
    testServer = BotsTestServer.open(launcher, DeafProgramTest::shortStop);
    testServer.bots.start();
  }

  @AfterEach
  void close() {
    launcher.stopAll(Duration.ZERO);
    testServer.close();
  }

  @Test
  void theRowIsTerminalWhenTheProgramIsGoneAndNotBefore() throws Exception {
    TestSignal.SignalObservation<Meeting> moves = testServer.moves();
    long user = testServer.user(Optional.of(1));
    long meeting = testServer.start(user, "standup").expect(201).json().path("id").asLong();
    Await.until("the program", () -> pid() > 0 && testServer.row(meeting).handle().isPresent());
    ProcessHandle program = ProcessHandle.of(pid()).orElseThrow();
    testServer.started(testServer.configOf(meeting)).expect(200);
    testServer.callback(testServer.configOf(meeting), "joined", Map.of()).expect(200);
    testServer.user(user, "POST", "/bots/stop", Map.of("meeting_id", meeting)).expect(202);

    Meeting failed = moves.await(of -> of.status().terminal(), Duration.ofSeconds(30));
    assertThat(program.isAlive()).as("at the moment the row became terminal").isFalse();
    assertThat(failed.status()).isEqualTo(MeetingStatus.FAILED);
    assertThat(testServer.outcome(meeting).path("reason").asString()).isEqualTo("stop_unheeded");
    Duration told =
        Duration.between(
            testServer.row(meeting).stopRequestedAt().orElseThrow(),
            failed.endTime().orElseThrow());
    assertThat(told).as("stopping timeout and grace").isGreaterThan(GRACE.multipliedBy(2));
  }

  private long pid() {
    try {
      String text = Files.readString(folder.resolve("pid")).strip();
      return text.isEmpty() ? 0 : Long.parseLong(text);
    } catch (IOException e) {
      return 0;
    }
  }

  private static BotsConfig shortStop(BotsConfig terms) {
    return new BotsConfig(
        terms.heartbeatInterval(),
        false,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        terms.reservedTimeout(),
        terms.startingTimeout(),
        terms.heartbeatTimeout(),
        GRACE,
        terms.sweepInterval(),
        GRACE,
        terms.callbackUrl(),
        terms.redisUrl());
  }
}
