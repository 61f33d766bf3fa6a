package io.convoke.server.presence;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.testhook.TestSignal.SignalObservation;
import io.convoke.server.presence.PresenceTestKit.Node;
import io.convoke.server.presence.PresenceTestSignals.ClaimEnded;
import io.lettuce.core.SetArgs;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What empty tracked rooms cost, and what untracked rooms leave behind. */
class IdleRoomsTest {
  private static final int ROOMS = 5000;
  private static final int TRACKED = 50;

  private final PresenceTestKit kit = new PresenceTestKit();

  @AfterEach
  void close() {
    kit.close();
  }

  @Test
  void sixtyTrackedRoomsThatNobodyIsInCostFewCallsWhateverTheInterval() {
    PresenceConfig quick = PresenceTestKit.quick();
    Node node =
        kit.node(
            new PresenceConfig(
                quick.coalesceWindow(),
                quick.minPollInterval(),
                Duration.ofSeconds(30),
                PresenceConfig.ReconcileMode.BULK,
                Duration.ofMillis(100),
                quick.unusedTimeout(),
                quick.concurrency()));
    Instant start = Instant.now();
    try (SignalObservation<String> ticked = node.presence().signals().ticked().observe();
        SignalObservation<ClaimEnded> ended = node.presence().signals().ended().observe()) {
      for (int room = 0; room < 60; room++) {
        long _ = kit.meeting("idle-" + room);
      }
      for (int poll = 0; poll < FirstPollAllowance.BURST; poll++) {
        ClaimEnded _ = ended.await(ClaimEnded::poll, PresenceTestKit.SOON);
      }
      // The tick that the rooms without a poll of their own ask for.
      String _ = ticked.await("bulk"::equals, PresenceTestKit.SOON);
    }
    assertThat(node.presence().reconciler().tick()).isTrue();
    assertThat(kit.number("select count(*)::int from presence where polled_at is not null"))
        .isEqualTo(60);
    for (int run = 0; run < 50; run++) {
      node.presence().processing().run();
    }
    assertThat(Duration.between(start, Instant.now())).isLessThan(Duration.ofMinutes(1));
    // 8 polls, 4 checks, and ticks.
    assertThat(kit.calls()).isBetween(13L, 18L);
  }

  @Test
  void joinsInARoomThatNobodyTracksLeaveOneRowWithACount() throws Exception {
    Node node = kit.node(PresenceTestKit.quick());
    try (SignalObservation<String> kept = node.presence().signals().routed().observe()) {
      for (int join = 0; join < 5; join++) {
        String room = join < 3 ? "lounge" : "garden";
        String event = PresenceTestKit.joined("e" + join, room, "s" + join, Instant.now());
        assertThat(kit.webhook(node, event)).isEqualTo(200);
        String _ = kept.await("unknown room"::equals, PresenceTestKit.SOON);
      }
      assertThat(kit.webhook(node, "nonsense")).isEqualTo(200);
      String _ = kept.await("not JSON"::equals, PresenceTestKit.SOON);
    }
    List<String> letters = kit.deadLetters(node, "?limit=2");
    assertThat(letters)
        .containsExactly(
            "not JSON null 1 nonsense", "unknown room garden 2 s4", "unknown room lounge 3 s2");
    assertThat(kit.number("select count(*)::int from dead_letters")).isEqualTo(3);
  }

  /** The other node has read the list before this event, or has died since. */
  @Test
  void anEventThatComesWhileAnotherNodeRoutesIsRoutedSoonAfterIt() throws Exception {
    Node node = kit.node(PresenceTestKit.quick());
    String lock = PlatformKeys.DAILY.of(PresenceKeys.UNROUTED_LOCK);
    try (SignalObservation<String> kept = node.presence().signals().routed().observe()) {
      String _ =
          kit.redis.call(
              commands -> commands.set(lock, "1", SetArgs.Builder.px(Duration.ofMillis(800))));
      String event = PresenceTestKit.joined("e", "lounge", "s", Instant.now());
      assertThat(kit.webhook(node, event)).isEqualTo(200);
      String _ = kept.await("unknown room"::equals, PresenceTestKit.SOON);
    }
  }

  /** Prints calls and rows. */
  @Test
  @Tag("nightly")
  void ofFiveThousandRoomsFiftyAreTracked() throws Exception {
    Node node = kit.node(PresenceTestKit.quick());
    for (int room = 0; room < TRACKED; room++) {
      long _ = kit.meeting("room-" + room);
    }
    try (SignalObservation<String> kept = node.presence().signals().routed().observe()) {
      for (int join = 0; join < 2 * ROOMS; join++) {
        String room = "room-" + join % ROOMS;
        String event = PresenceTestKit.joined("e" + join, room, "s" + join, Instant.now());
        assertThat(kit.webhook(node, event)).isEqualTo(200);
      }
      for (int letter = 0; letter < 2 * (ROOMS - TRACKED); letter++) {
        String _ = kept.await("unknown room"::equals, PresenceTestKit.SOON);
      }
    }
    int rows = kit.number("select count(*)::int from dead_letters");
    int letters = kit.number("select sum(count)::int from dead_letters");
    long before = kit.calls();
    for (int second = 0; second < 60; second++) {
      node.presence().processing().run();
      if (second % 15 == 0) {
        assertThat(node.presence().reconciler().tick()).isTrue();
      }
    }
    System.out.printf(
        "%d rooms, %d tracked: %d events left %d rows; %d calls while all was seen, %d in the minute after%n",
        ROOMS, TRACKED, letters, rows, before, kit.calls() - before);
    assertThat(rows).isEqualTo(ROOMS - TRACKED);
    assertThat(letters).isEqualTo(2 * (ROOMS - TRACKED));
    assertThat(before).isLessThan(8L * TRACKED);
    assertThat(kit.calls() - before).isLessThanOrEqualTo(30 + TRACKED);
  }
}
