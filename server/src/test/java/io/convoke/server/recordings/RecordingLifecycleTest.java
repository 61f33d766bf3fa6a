package io.convoke.server.recordings;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.state.Step;
import io.convoke.engine.state.TransitionCoverage;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Every legal move is taken, every other event leaves a recording where it is. */
class RecordingLifecycleTest {
  private static final List<RecordingEvent> EVENTS =
      List.of(
          new RecordingEvent.Started(),
          new RecordingEvent.Ready(true),
          new RecordingEvent.Ready(false),
          new RecordingEvent.Emptied(),
          new RecordingEvent.Cancelled(),
          new RecordingEvent.Broken("disk full"),
          new RecordingEvent.GivenUp("silence"),
          new RecordingEvent.Matched(),
          new RecordingEvent.Begun(),
          new RecordingEvent.Finished(),
          new RecordingEvent.StepFailed("no audio"),
          new RecordingEvent.Retried(false),
          new RecordingEvent.Retried(true));

  private final TransitionCoverage<RecordingState, RecordingEvent> lifecycle =
      new TransitionCoverage<>(
          new RecordingLifecycle(),
          RecordingLifecycle.TABLE,
          state -> state.status().word(),
          RecordingEvent::label);

  @Test
  void everyDeclaredMoveIsMadeAndNoOther() {
    for (RecordingStatus status : RecordingStatus.values()) {
      for (boolean placed : List.of(true, false)) {
        EVENTS.forEach(event -> lifecycle.next(new RecordingState(status, placed), event));
      }
    }
    lifecycle.verify();
  }

  @Test
  void whatIsOverIsLeftByARetryAlone() {
    for (RecordingStatus status : RecordingStatus.values()) {
      if (status.terminal()) {
        for (RecordingEvent event : EVENTS) {
          if (!(event instanceof RecordingEvent.Retried)) {
            assertThat(lifecycle.next(new RecordingState(status, true), event))
                .isNotInstanceOf(Step.Move.class);
          }
        }
      }
    }
  }

  @Test
  void nothingIsWorkedOnBeforeItsMeetingIsKnown() {
    for (RecordingEvent event : EVENTS) {
      if (lifecycle.next(new RecordingState(RecordingStatus.UNMATCHED, false), event)
          instanceof Step.Move<RecordingState>(RecordingState to, String _)) {
        assertThat(to.status() == RecordingStatus.GIVEN_UP || to.placed()).isTrue();
      }
    }
    assertThat(
            lifecycle.next(
                new RecordingState(RecordingStatus.FAILED, false),
                new RecordingEvent.Retried(false)))
        .isInstanceOf(Step.Refuse.class);
  }

  @Test
  void whatIsDoneIsDoneAgainFromANamedStepAlone() {
    RecordingState done = new RecordingState(RecordingStatus.DONE, true);
    assertThat(lifecycle.next(done, new RecordingEvent.Retried(false)))
        .isInstanceOf(Step.Refuse.class);
    assertThat(lifecycle.next(done, new RecordingEvent.Retried(true)))
        .isInstanceOf(Step.Move.class);
  }
}
