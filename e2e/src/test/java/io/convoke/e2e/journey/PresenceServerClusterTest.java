package io.convoke.e2e.journey;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.simulator.fault.FaultKind;
import io.convoke.simulator.fault.FaultSetting;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The presence scenarios with several workers (docs/spec/presence.md), each worker in its own
 * process, on default settings. The grace period of a meeting that ends at the start runs
 * meanwhile.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Timeout(240)
@Tag("nightly")
final class PresenceServerClusterTest {
  /** The default of CONVOKE_PRESENCE_COALESCE_WINDOW. */
  private static final Duration COALESCE_WINDOW = Duration.ofMillis(1500);

  private static PresenceServerCluster fleet;
  private static long ending;

  @BeforeAll
  @Timeout(240)
  static void start(@TempDir Path folder) {
    fleet = new PresenceServerCluster(folder, 3, Map.of("CONVOKE_MEETING_PROCESS_INTERVAL", "1s"));
    // Two people: Daily counts the visit of one alone as a meeting only after half a minute.
    ending = fleet.meeting("ending", "User1", "User2");
    fleet.empty("ending");
  }

  @AfterAll
  static void stop() {
    fleet.close();
  }

  @AfterEach
  void calm() {
    fleet.simulator().faults().clear();
  }

  private static CompletableFuture<Void> later(int millis, Runnable action) {
    return CompletableFuture.runAsync(
        action, CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS));
  }

  /**
   * The pauses of the scenario. Webhooks within one window cost one poll; on a slow machine that
   * delivers them later, each further window costs one more poll and no more.
   */
  @Test
  @Order(1)
  void scenario5ThreeWebhooksOnDefaultSettingsCostExactlyOnePoll() {
    long meeting = fleet.meeting("five", "User1");
    // User1's webhook may arrive after the meeting is tracked and then starts a window of its own.
    fleet.settle("five", meeting, "User1");
    long before = fleet.polls("five");

    fleet.join("five", "User2");
    var _ = later(500, () -> fleet.join("five", "User3"));
    var _ = later(1300, () -> fleet.join("five", "User4"));

    fleet.await("all four", () -> fleet.people(meeting).size() == 4);
    long windows = 1 + fleet.delivering("five", "User2", "User4").dividedBy(COALESCE_WINDOW);
    assertThat(fleet.polledAgain("five", before, Duration.ofSeconds(10))).isTrue();
    assertThat(fleet.polledAgain("five", before + windows, Duration.ofSeconds(3)))
        .as("more than %d polls", windows)
        .isFalse();
    assertThat(fleet.people(meeting)).containsExactly("User1", "User2", "User3", "User4");
    assertThat(fleet.flagged(meeting)).isFalse();
  }

  @Test
  @Order(2)
  void scenario8WorkersSeeTheSameFlagAndOnePolls() {
    long meeting = fleet.meeting("eight", "User1");
    long before = fleet.polls("eight");
    fleet
        .simulator()
        .faults()
        .set(FaultKind.API_SLOW, FaultSetting.of(1).lasting(Duration.ofSeconds(2)));

    fleet.flag(meeting);
    fleet.await("the poll", () -> fleet.holder(meeting).isPresent());
    assertThat(fleet.flagged(meeting)).isFalse();
    assertThat(fleet.pollState(meeting)).isEqualTo("polling");
    fleet.await("its end", () -> fleet.holder(meeting).isEmpty());

    assertThat(fleet.polls("eight")).isEqualTo(before + 1);
    assertThat(fleet.polledAgain("eight", before + 1, Duration.ofSeconds(3))).isFalse();
  }

  @Test
  @Order(3)
  void scenario9DifferentMeetingsArePolledAtTheSameTime() {
    long one = fleet.meeting("mtg-123", "User1");
    long other = fleet.meeting("mtg-456", "User2");
    fleet
        .simulator()
        .faults()
        .set(FaultKind.API_SLOW, FaultSetting.of(1).lasting(Duration.ofSeconds(2)));

    fleet.flag(one, other);
    fleet.await(
        "both at once", () -> fleet.holder(one).isPresent() && fleet.holder(other).isPresent());
    assertThat(fleet.holder(one)).isNotEqualTo(fleet.holder(other));
    fleet.await("both ends", () -> fleet.holder(one).isEmpty() && fleet.holder(other).isEmpty());

    assertThat(fleet.people(one)).containsExactly("User1");
    assertThat(fleet.people(other)).containsExactly("User2");
    assertThat(fleet.flagged(one) || fleet.flagged(other)).isFalse();
  }

  @Test
  @Order(4)
  void scenario10WorkersProcessAnEndedMeetingAndOneCompletesItOnce() {
    fleet.await(
        "the end of the grace",
        Duration.ofSeconds(90),
        () -> fleet.status(ending).equals("completed"));

    // The row is read at once, the journal up to its horizon.
    fleet.await("the journal", () -> fleet.moves(ending, "completed") > 0);
    assertThat(fleet.moves(ending, "completed")).isEqualTo(1);
    assertThat(fleet.people(ending)).isEmpty();
  }

  /** The last test: other locks of the killed worker stay held for their two minutes. */
  @Test
  @Order(5)
  void aPollWhoseWorkerIsKilledIsTakenOverWithinSixSeconds() throws IOException {
    long meeting = fleet.meeting("killed", "User1");
    long before = fleet.polls("killed");
    fleet
        .simulator()
        .faults()
        .set(FaultKind.API_SLOW, FaultSetting.of(1).lasting(Duration.ofSeconds(20)));

    fleet.flag(meeting);
    fleet.await("the poll", () -> fleet.holder(meeting).isPresent());
    String dead = fleet.holder(meeting).orElseThrow();
    fleet.killHolder(meeting);
    fleet.simulator().faults().clear();

    fleet.await(
        "another holder or its end",
        Duration.ofSeconds(7),
        () -> !fleet.holder(meeting).orElse("").equals(dead));
    assertThat(fleet.polledAgain("killed", before, Duration.ofSeconds(10))).isTrue();
    fleet.await("rest", () -> fleet.pollState(meeting).equals("idle"));
  }
}
