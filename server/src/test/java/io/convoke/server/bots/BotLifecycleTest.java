package io.convoke.server.bots;

import static io.convoke.server.bots.BotOutcome.OutcomeAttribution.HOST;
import static io.convoke.server.bots.BotOutcome.OutcomeAttribution.PLATFORM;
import static io.convoke.server.bots.BotOutcome.OutcomeAttribution.US;
import static io.convoke.server.bots.BotOutcome.OutcomeAttribution.USER;
import static io.convoke.server.meetings.MeetingStatus.ACTIVE;
import static io.convoke.server.meetings.MeetingStatus.COMPLETED;
import static io.convoke.server.meetings.MeetingStatus.FAILED;
import static io.convoke.server.meetings.MeetingStatus.RESERVED;
import static io.convoke.server.meetings.MeetingStatus.STARTING;
import static io.convoke.server.meetings.MeetingStatus.STOPPING;
import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.state.LifecycleStep;
import io.convoke.engine.state.TransitionCoverage;
import io.convoke.server.bots.BotOutcome.OutcomeAttribution;
import io.convoke.server.meetings.MeetingStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Every state meets every event (bots-6). */
class BotLifecycleTest {
  private static final Optional<String> NO_REASON = Optional.empty();

  private final TransitionCoverage<BotState, BotEvent> lifecycle =
      new TransitionCoverage<>(
          new BotLifecycle(),
          BotLifecycle.TABLE,
          state -> state.status().wireName(),
          BotEvent::label);

  @Test
  void everyStateMeetsEveryEventAndEveryLegalMoveIsTaken() {
    for (BotState state : states()) {
      for (BotEvent event : events()) {
        LifecycleStep<BotState> lifecycleStep = lifecycle.next(state, event);
        if (state.status().terminal()) {
          assertThat(lifecycleStep)
              .as("%s absorbs %s", state, event)
              .isNotInstanceOf(LifecycleStep.StateChanged.class);
        }
        if (lifecycleStep
            instanceof LifecycleStep.StateChanged<BotState>(BotState to, String reason)) {
          assertThat(reason).isNotBlank();
          assertThat(to.outcome().isPresent()).isEqualTo(to.status().terminal());
          assertThat(to.status() == COMPLETED && !state.admitted())
              .as("a bot that was never admitted is never completed: %s %s", state, event)
              .isFalse();
        }
      }
    }
    lifecycle.verify();
  }

  @Test
  void theLifecycleFromReservationToCompletion() {
    BotState state = BotState.RESERVED;
    state = moved(state, new BotEvent.BotStarted(), STARTING);
    state = moved(state, new BotEvent.BotJoined(), ACTIVE);
    state = moved(state, new BotEvent.BotLeaving(NO_REASON), STOPPING);
    state = moved(state, new BotEvent.BotExited(0, Optional.of("everyone_left")), COMPLETED);
    assertThat(state.outcome())
        .contains(new BotOutcome("everyone_left", HOST, Optional.of(0), STOPPING));
  }

  @Test
  void aRepeatedReportChangesNothing() {
    assertThat(lifecycle.next(state(STARTING, false), new BotEvent.BotStarted()))
        .isInstanceOf(LifecycleStep.StateUnchanged.class);
    assertThat(lifecycle.next(state(ACTIVE, true), new BotEvent.BotJoined()))
        .isInstanceOf(LifecycleStep.StateUnchanged.class);
    assertThat(lifecycle.next(state(STOPPING, true), new BotEvent.BotLeaving(NO_REASON)))
        .isInstanceOf(LifecycleStep.StateUnchanged.class);
    BotState over = moved(state(ACTIVE, true), new BotEvent.BotExited(3, NO_REASON), FAILED);
    assertThat(lifecycle.next(over, new BotEvent.BotExited(3, NO_REASON)))
        .as("the same goodbye again, because its answer was lost")
        .isInstanceOf(LifecycleStep.StateUnchanged.class);
    assertThat(lifecycle.next(over, new BotEvent.BotExited(0, NO_REASON)))
        .isInstanceOf(LifecycleStep.EventRefused.class);
  }

  @Test
  void reportsOutOfOrderAreRefusedAsValues() {
    assertRefused(BotState.RESERVED, new BotEvent.BotJoined());
    assertRefused(BotState.RESERVED, new BotEvent.BotHeartbeat());
    assertRefused(BotState.RESERVED, new BotEvent.BotLeaving(NO_REASON));
    assertRefused(state(STOPPING, false), new BotEvent.BotJoined());
    assertRefused(state(ACTIVE, true), new BotEvent.LaunchFailed("start_failed"));
    assertRefused(state(ACTIVE, true), new BotEvent.LaunchCancelled());
    assertRefused(state(ACTIVE, true), new BotEvent.BotKilled());
  }

  @Test
  void everyEndHasAReasonAndAnAttribution() {
    assertEnd(state(ACTIVE, true), exited(0), COMPLETED, "meeting_ended", HOST);
    assertEnd(state(ACTIVE, true), exited(1), FAILED, "crashed", US);
    assertEnd(state(ACTIVE, true), exited(20, "platform_gone"), FAILED, "platform_gone", PLATFORM);
    assertEnd(state(ACTIVE, true), exited(0, "no_one_joined"), COMPLETED, "no_one_joined", HOST);
    assertEnd(
        state(ACTIVE, true), exited(0, "a word of its own"), COMPLETED, "a word of its own", HOST);
    assertEnd(state(ACTIVE, true), exited(7, "a word of its own"), FAILED, "a word of its own", US);
    assertEnd(stopping(ACTIVE, true), exited(0), COMPLETED, "stopped", USER);
    assertEnd(stopping(STOPPING, true), exited(0, "stopped"), COMPLETED, "stopped", USER);
    assertEnd(stopping(STOPPING, true), exited(1), FAILED, "stopped", USER);
    assertEnd(stopping(STARTING, false), exited(0), FAILED, "stopped", USER);
    assertEnd(stopping(STOPPING, false), exited(0), FAILED, "stopped", USER);
    assertEnd(stopping(RESERVED, false), new BotEvent.LaunchCancelled(), FAILED, "stopped", USER);
    assertEnd(stopping(ACTIVE, true), new BotEvent.BotKilled(), FAILED, "stop_unheeded", USER);
    assertEnd(
        state(ACTIVE, true), exited(0, "admission_timeout"), FAILED, "admission_timeout", HOST);
    assertEnd(state(STARTING, false), exited(0), FAILED, "not_admitted", HOST);
    assertEnd(
        state(STARTING, false),
        exited(10, "waiting_room_timeout"),
        FAILED,
        "waiting_room_timeout",
        HOST);
    assertEnd(
        state(STARTING, false), exited(11, "meeting_not_found"), FAILED, "meeting_not_found", USER);
    assertEnd(state(RESERVED, false), exited(0), FAILED, "never_started", US);
    assertEnd(
        state(RESERVED, false),
        new BotEvent.LaunchFailed("start_failed"),
        FAILED,
        "start_failed",
        US);
    assertEnd(
        state(RESERVED, false), new BotEvent.DeadlinePassed("gone"), FAILED, "never_started", US);
    assertEnd(
        state(STARTING, false), new BotEvent.DeadlinePassed("gone"), FAILED, "join_timeout", US);
    assertEnd(
        state(ACTIVE, true), new BotEvent.DeadlinePassed("gone"), FAILED, "heartbeat_lost", US);
    assertEnd(
        state(STOPPING, true), new BotEvent.DeadlinePassed("gone"), FAILED, "leave_timeout", US);
    assertEnd(
        state(ACTIVE, true),
        new BotEvent.BotProcessEnded(Optional.of(0)),
        COMPLETED,
        "meeting_ended",
        HOST);
    assertEnd(
        state(ACTIVE, true), new BotEvent.BotProcessEnded(Optional.of(137)), FAILED, "crashed", US);
    assertEnd(
        state(ACTIVE, true),
        new BotEvent.BotProcessEnded(Optional.empty()),
        FAILED,
        "vanished",
        US);
  }

  @Test
  void aBotLeavesForItsReasonUnlessItWasTold() {
    BotEvent leaving = new BotEvent.BotLeaving(Optional.of("everyone_left"));
    assertThat(lifecycle.next(state(ACTIVE, true), leaving))
        .isEqualTo(new LifecycleStep.StateChanged<>(state(STOPPING, true), "everyone_left"));
    assertThat(lifecycle.next(stopping(ACTIVE, true), leaving))
        .isEqualTo(new LifecycleStep.StateChanged<>(stopping(STOPPING, true), "stopped"));
  }

  @Test
  void aBotWaitsToBeAdmittedAfterItStarted() {
    assertRefused(BotState.RESERVED, new BotEvent.BotAwaitingAdmission());
    assertThat(lifecycle.next(state(STARTING, false), new BotEvent.BotAwaitingAdmission()))
        .isInstanceOf(LifecycleStep.StateUnchanged.class);
  }

  private void assertEnd(
      BotState from,
      BotEvent event,
      MeetingStatus end,
      String reason,
      OutcomeAttribution outcomeAttribution) {
    BotState to = moved(from, event, end);
    assertThat(to.outcome())
        .hasValueSatisfying(
            botOutcome -> {
              assertThat(botOutcome.reason()).isEqualTo(reason);
              assertThat(botOutcome.attribution()).as("%s", reason).isEqualTo(outcomeAttribution);
              assertThat(botOutcome.stage()).isEqualTo(from.status());
            });
  }

  private void assertRefused(BotState state, BotEvent event) {
    assertThat(lifecycle.next(state, event)).isInstanceOf(LifecycleStep.EventRefused.class);
  }

  private BotState moved(BotState from, BotEvent event, MeetingStatus to) {
    LifecycleStep<BotState> lifecycleStep = lifecycle.next(from, event);
    assertThat(lifecycleStep)
        .as("%s %s", from, event)
        .isInstanceOf(LifecycleStep.StateChanged.class);
    BotState next = ((LifecycleStep.StateChanged<BotState>) lifecycleStep).to();
    assertThat(next.status()).isEqualTo(to);
    return next;
  }

  private static BotEvent exited(int code) {
    return new BotEvent.BotExited(code, NO_REASON);
  }

  private static BotEvent exited(int code, String reason) {
    return new BotEvent.BotExited(code, Optional.of(reason));
  }

  private static BotState state(MeetingStatus status, boolean admitted) {
    return new BotState(status, false, admitted, Optional.empty());
  }

  private static BotState stopping(MeetingStatus status, boolean admitted) {
    return new BotState(status, true, admitted, Optional.empty());
  }

  private static List<BotState> states() {
    List<BotState> states = new ArrayList<>();
    for (MeetingStatus status : MeetingStatus.values()) {
      for (boolean stop : new boolean[] {false, true}) {
        for (boolean admitted : new boolean[] {false, true}) {
          boolean possible =
              switch (status) {
                case RESERVED, STARTING -> !admitted;
                case ACTIVE, COMPLETED -> admitted;
                case STOPPING, FAILED -> true;
              };
          if (possible) {
            Optional<BotOutcome> outcome =
                status.terminal()
                    ? Optional.of(new BotOutcome("stopped", USER, Optional.of(0), STOPPING))
                    : Optional.empty();
            states.add(new BotState(status, stop, admitted, outcome));
          }
        }
      }
    }
    return states;
  }

  private static List<BotEvent> events() {
    return List.of(
        new BotEvent.BotStarted(),
        new BotEvent.BotAwaitingAdmission(),
        new BotEvent.BotJoined(),
        new BotEvent.BotHeartbeat(),
        new BotEvent.BotLeaving(NO_REASON),
        new BotEvent.BotLeaving(Optional.of("everyone_left")),
        exited(0),
        exited(1),
        exited(0, "everyone_left"),
        exited(0, "awaiting_admission_rejected"),
        new BotEvent.LaunchFailed("start_failed"),
        new BotEvent.LaunchCancelled(),
        new BotEvent.BotProcessEnded(Optional.of(0)),
        new BotEvent.BotProcessEnded(Optional.of(9)),
        new BotEvent.BotProcessEnded(Optional.empty()),
        new BotEvent.BotKilled(),
        new BotEvent.DeadlinePassed("gone"));
  }
}
