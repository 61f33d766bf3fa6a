package io.convoke.server.bots;

import static io.convoke.server.bots.Outcome.Attribution.HOST;
import static io.convoke.server.bots.Outcome.Attribution.PLATFORM;
import static io.convoke.server.bots.Outcome.Attribution.US;
import static io.convoke.server.bots.Outcome.Attribution.USER;
import static io.convoke.server.meetings.MeetingStatus.ACTIVE;
import static io.convoke.server.meetings.MeetingStatus.COMPLETED;
import static io.convoke.server.meetings.MeetingStatus.FAILED;
import static io.convoke.server.meetings.MeetingStatus.RESERVED;
import static io.convoke.server.meetings.MeetingStatus.STARTING;
import static io.convoke.server.meetings.MeetingStatus.STOPPING;
import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.state.Step;
import io.convoke.engine.state.TransitionCoverage;
import io.convoke.server.bots.Outcome.Attribution;
import io.convoke.server.meetings.MeetingStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Every state meets every event (CONTRACT.md, Bot callbacks; seed 001, state machine). */
class BotLifecycleTest {
  private static final Optional<String> NO_REASON = Optional.empty();

  private final TransitionCoverage<BotState, BotEvent> lifecycle =
      new TransitionCoverage<>(
          new BotLifecycle(), BotLifecycle.TABLE, state -> state.status().word(), BotEvent::label);

  @Test
  void everyStateMeetsEveryEventAndEveryLegalMoveIsTaken() {
    for (BotState state : states()) {
      for (BotEvent event : events()) {
        Step<BotState> step = lifecycle.next(state, event);
        if (state.status().terminal()) {
          assertThat(step).as("%s absorbs %s", state, event).isNotInstanceOf(Step.Move.class);
        }
        if (step instanceof Step.Move<BotState>(BotState to, String reason)) {
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
  void theSeedsLifeFromReservationToCompletion() {
    BotState state = BotState.RESERVED;
    state = moved(state, new BotEvent.Started(), STARTING);
    state = moved(state, new BotEvent.Joined(), ACTIVE);
    state = moved(state, new BotEvent.Leaving(NO_REASON), STOPPING);
    state = moved(state, new BotEvent.Exited(0, Optional.of("everyone_left")), COMPLETED);
    assertThat(state.outcome())
        .contains(new Outcome("everyone_left", HOST, Optional.of(0), STOPPING));
  }

  @Test
  void aRepeatedReportChangesNothing() {
    assertThat(lifecycle.next(state(STARTING, false), new BotEvent.Started()))
        .isInstanceOf(Step.Stay.class);
    assertThat(lifecycle.next(state(ACTIVE, true), new BotEvent.Joined()))
        .isInstanceOf(Step.Stay.class);
    assertThat(lifecycle.next(state(STOPPING, true), new BotEvent.Leaving(NO_REASON)))
        .isInstanceOf(Step.Stay.class);
    BotState over = moved(state(ACTIVE, true), new BotEvent.Exited(3, NO_REASON), FAILED);
    assertThat(lifecycle.next(over, new BotEvent.Exited(3, NO_REASON)))
        .as("the same goodbye again, because its answer was lost")
        .isInstanceOf(Step.Stay.class);
    assertThat(lifecycle.next(over, new BotEvent.Exited(0, NO_REASON)))
        .isInstanceOf(Step.Refuse.class);
  }

  @Test
  void reportsOutOfOrderAreRefusedAsValues() {
    assertRefused(BotState.RESERVED, new BotEvent.Joined());
    assertRefused(BotState.RESERVED, new BotEvent.Beat());
    assertRefused(BotState.RESERVED, new BotEvent.Leaving(NO_REASON));
    assertRefused(state(STOPPING, false), new BotEvent.Joined());
    assertRefused(state(ACTIVE, true), new BotEvent.LaunchFailed("start_failed"));
    assertRefused(state(ACTIVE, true), new BotEvent.Cancelled());
    assertRefused(state(ACTIVE, true), new BotEvent.Killed());
  }

  @Test
  void everyEndHasAReasonAndSomebodyBehindIt() {
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
    assertEnd(stopping(RESERVED, false), new BotEvent.Cancelled(), FAILED, "stopped", USER);
    assertEnd(stopping(ACTIVE, true), new BotEvent.Killed(), FAILED, "stop_unheeded", USER);
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
    assertEnd(state(RESERVED, false), new BotEvent.Overdue("gone"), FAILED, "never_started", US);
    assertEnd(state(STARTING, false), new BotEvent.Overdue("gone"), FAILED, "join_timeout", US);
    assertEnd(state(ACTIVE, true), new BotEvent.Overdue("gone"), FAILED, "heartbeat_lost", US);
    assertEnd(state(STOPPING, true), new BotEvent.Overdue("gone"), FAILED, "leave_timeout", US);
    assertEnd(
        state(ACTIVE, true),
        new BotEvent.Vanished(Optional.of(0)),
        COMPLETED,
        "meeting_ended",
        HOST);
    assertEnd(state(ACTIVE, true), new BotEvent.Vanished(Optional.of(137)), FAILED, "crashed", US);
    assertEnd(state(ACTIVE, true), new BotEvent.Vanished(Optional.empty()), FAILED, "vanished", US);
  }

  private void assertEnd(
      BotState from, BotEvent event, MeetingStatus end, String reason, Attribution attribution) {
    BotState to = moved(from, event, end);
    assertThat(to.outcome())
        .hasValueSatisfying(
            outcome -> {
              assertThat(outcome.reason()).isEqualTo(reason);
              assertThat(outcome.attribution()).as("%s", reason).isEqualTo(attribution);
              assertThat(outcome.stage()).isEqualTo(from.status());
            });
  }

  private void assertRefused(BotState state, BotEvent event) {
    assertThat(lifecycle.next(state, event)).isInstanceOf(Step.Refuse.class);
  }

  private BotState moved(BotState from, BotEvent event, MeetingStatus to) {
    Step<BotState> step = lifecycle.next(from, event);
    assertThat(step).as("%s %s", from, event).isInstanceOf(Step.Move.class);
    BotState next = ((Step.Move<BotState>) step).to();
    assertThat(next.status()).isEqualTo(to);
    return next;
  }

  private static BotEvent exited(int code) {
    return new BotEvent.Exited(code, NO_REASON);
  }

  private static BotEvent exited(int code, String reason) {
    return new BotEvent.Exited(code, Optional.of(reason));
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
            Optional<Outcome> outcome =
                status.terminal()
                    ? Optional.of(new Outcome("stopped", USER, Optional.of(0), STOPPING))
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
        new BotEvent.Started(),
        new BotEvent.Joined(),
        new BotEvent.Beat(),
        new BotEvent.Leaving(NO_REASON),
        new BotEvent.Leaving(Optional.of("everyone_left")),
        exited(0),
        exited(1),
        exited(0, "everyone_left"),
        exited(0, "awaiting_admission_rejected"),
        new BotEvent.LaunchFailed("start_failed"),
        new BotEvent.Cancelled(),
        new BotEvent.Vanished(Optional.of(0)),
        new BotEvent.Vanished(Optional.of(9)),
        new BotEvent.Vanished(Optional.empty()),
        new BotEvent.Killed(),
        new BotEvent.Overdue("gone"));
  }
}
