package io.convoke.server.presence;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.testhook.TestSignal.SignalObservation;
import io.convoke.server.launch.Await;
import io.convoke.server.presence.PresenceTestKit.Node;
import io.convoke.server.presence.PresenceTestSignals.ClaimEnded;
import io.convoke.simulator.fault.FaultKind;
import io.convoke.simulator.fault.FaultSetting;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The polls that a meeting's timeline shows. */
class TimelineTest {
  private final PresenceTestKit kit = new PresenceTestKit();

  @AfterEach
  void close() {
    kit.close();
  }

  private List<String> why(long meeting) {
    return kit.events(meeting, PollJournal.POLLED).stream()
        .map(
            it ->
                String.join("+", it.path("why").valueStream().map(JsonNode::asString).toList())
                    + " by "
                    + it.path("trigger").asString())
        .toList();
  }

  private void poll(SignalObservation<ClaimEnded> ended, long meeting) {
    String _ = kit.redis.call(commands -> commands.set(PresenceKeys.flag(meeting), "1"));
    ClaimEnded _ = PresenceTestKit.polled(ended, meeting);
  }

  @Tag("nightly")
  @Test
  void theFirstPollAndPollsWithChangesAreJournaledAndOthersAreNot() {
    Node node = kit.node(PresenceTestKit.quick());
    try (SignalObservation<ClaimEnded> ended = node.presence().signals().ended().observe()) {
      long meeting = kit.meeting("room");
      ClaimEnded _ = PresenceTestKit.polled(ended, meeting);
      assertThat(why(meeting)).containsExactly("first by start");

      poll(ended, meeting);
      poll(ended, meeting);
      assertThat(why(meeting)).hasSize(1);

      String _ = kit.join("room", "Ada");
      poll(ended, meeting);
      assertThat(why(meeting)).containsExactly("first by start", "changed by flag");
      JsonNode found = kit.events(meeting, PollJournal.POLLED).getLast();
      assertThat(found.path("joined").asInt()).isEqualTo(1);
      assertThat(found.path("num_clients").asInt()).isEqualTo(1);
      assertThat(found.path("from").asString()).isEqualTo("polling");
      assertThat(found.path("to").asString()).isEqualTo("idle");
      assertThat(found.path("user_id").asLong()).isEqualTo(kit.user);
    }
  }

  @Tag("nightly")
  @Test
  void ofConsecutiveFailuresTheFirstAndThePollThatEndsThemAreJournaled() {
    Node node = kit.node(PresenceTestKit.quick());
    try (SignalObservation<ClaimEnded> ended = node.presence().signals().ended().observe()) {
      long meeting = kit.meeting("room");
      ClaimEnded _ = PresenceTestKit.polled(ended, meeting);
      kit.sim.faults().set(FaultKind.API_500, FaultSetting.ALWAYS.times(2));
      poll(ended, meeting);
      ClaimEnded _ =
          ended.await(
              it -> it.poll() && it.outcome() instanceof ReadyQueue.ClaimOutcome.ClaimServed,
              PresenceTestKit.SOON);

      List<JsonNode> failed = kit.events(meeting, PollJournal.FAILED);
      assertThat(failed).hasSize(1);
      assertThat(failed.getFirst().path("cause").asString()).isEqualTo("server_error");
      assertThat(failed.getFirst().path("to").asString()).isEqualTo("needs_poll");
      assertThat(why(meeting).getLast()).startsWith("recovered");
    }
  }

  @Test
  void anEventThatComesDuringAPollIsTheFourthState() throws Exception {
    Node node = kit.node(PresenceTestKit.quick());
    try (SignalObservation<ClaimEnded> ended = node.presence().signals().ended().observe()) {
      long meeting = kit.meeting("room");
      ClaimEnded _ = PresenceTestKit.polled(ended, meeting);
      kit.sim
          .faults()
          .set(
              FaultKind.API_SLOW,
              FaultSetting.ALWAYS.lasting(Duration.ofSeconds(3)).on("presence"));
      String _ = kit.redis.call(commands -> commands.set(PresenceKeys.flag(meeting), "1"));
      until(() -> polling(meeting));
      assertThat(kit.webhook(node, PresenceTestKit.joined("e1", "room", "s1", Instant.now())))
          .isEqualTo(200);
      assertThat(kit.participants(node, meeting).path("poll_state").asString())
          .isEqualTo("needs_poll_while_polling");
      kit.sim.faults().clear();
      // The meeting may have been polled once more before the poll that the event met.
      until(() -> !kit.events(meeting, PollJournal.REQUESTED).isEmpty());

      List<JsonNode> asked = kit.events(meeting, PollJournal.REQUESTED);
      assertThat(asked).hasSize(1);
      assertThat(asked.getFirst().path("from").asString()).isEqualTo("polling");
      assertThat(asked.getFirst().path("to").asString()).isEqualTo("needs_poll_while_polling");
      // Exactly one poll follows.
      ClaimEnded _ = PresenceTestKit.polled(ended, meeting);
      until(() -> !kit.exists(PresenceKeys.flag(meeting)));
    }
  }

  private boolean polling(long meeting) {
    return kit.redis.call(commands -> commands.hexists(PresenceKeys.state(meeting), "polling"));
  }

  private static void until(BooleanSupplier done) {
    Await.until(PresenceTestKit.SOON, done);
  }
}
