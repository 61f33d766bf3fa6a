package io.convoke.server.recordings;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.state.LifecycleStep;
import io.convoke.engine.state.TransitionCoverage;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Every legal event moves a recording, every other one changes nothing. */
class RecordingLifecycleTest {
  private static final List<RecordingEvent> EVENTS =
      List.of(
          new RecordingEvent.RecordingStarted(),
          new RecordingEvent.FileReady(true),
          new RecordingEvent.FileReady(false),
          new RecordingEvent.FileEmpty(),
          new RecordingEvent.RecordingCancelled(),
          new RecordingEvent.RecordingBroken("disk full"),
          new RecordingEvent.RecordingAbandoned("silence"),
          new RecordingEvent.MeetingMatched(),
          new RecordingEvent.WorkBegun(),
          new RecordingEvent.WorkFinished(),
          new RecordingEvent.StepFailed("no audio"),
          new RecordingEvent.RetryRequested(false),
          new RecordingEvent.RetryRequested(true));

  private final TransitionCoverage<RecordingState, RecordingEvent> lifecycle =
      new TransitionCoverage<>(
          new RecordingLifecycle(),
          RecordingLifecycle.TABLE,
          state -> state.status().wireName(),
          RecordingEvent::label);

  @Test
  void everyDeclaredMoveIsMadeAndNoOther() {
    for (RecordingStatus status : RecordingStatus.values()) {
      for (boolean placed : List.of(true, false)) {
        for (boolean begun : List.of(true, false)) {
          EVENTS.forEach(event -> lifecycle.next(new RecordingState(status, placed, begun), event));
        }
      }
    }
    lifecycle.verify();
  }

  @Test
  void whatIsOverIsLeftByARetryAlone() {
    for (RecordingStatus status : RecordingStatus.values()) {
      if (status.terminal()) {
        for (RecordingEvent event : EVENTS) {
          if (!(event instanceof RecordingEvent.RetryRequested)) {
            assertThat(lifecycle.next(new RecordingState(status, true, true), event))
                .isNotInstanceOf(LifecycleStep.StateChanged.class);
          }
        }
      }
    }
  }

  @Test
  void aFileAloneMovesWhatThePlatformCalledBroken() {
    RecordingState broken = new RecordingState(RecordingStatus.FAILED, true, false);
    for (RecordingEvent event : EVENTS) {
      if (!(event instanceof RecordingEvent.RetryRequested)
          && !(event instanceof RecordingEvent.FileReady)) {
        assertThat(lifecycle.next(broken, event)).isNotInstanceOf(LifecycleStep.StateChanged.class);
      }
    }
    assertThat(lifecycle.next(broken, new RecordingEvent.FileReady(true)))
        .isEqualTo(
            new LifecycleStep.StateChanged<>(
                new RecordingState(RecordingStatus.READY, true, true), "ready"));
    assertThat(
            lifecycle.next(
                new RecordingState(RecordingStatus.FAILED, false, false),
                new RecordingEvent.FileReady(false)))
        .isEqualTo(
            new LifecycleStep.StateChanged<>(
                new RecordingState(RecordingStatus.UNMATCHED, false, false), "no_meeting"));
  }

  @Test
  void nothingIsWorkedOnBeforeItsMeetingIsKnown() {
    for (RecordingEvent event : EVENTS) {
      if (lifecycle.next(new RecordingState(RecordingStatus.UNMATCHED, false, false), event)
          instanceof LifecycleStep.StateChanged<RecordingState>(RecordingState to, String _)) {
        assertThat(to.status() == RecordingStatus.GIVEN_UP || to.placed()).isTrue();
      }
    }
    assertThat(
            lifecycle.next(
                new RecordingState(RecordingStatus.FAILED, false, false),
                new RecordingEvent.RetryRequested(false)))
        .isInstanceOf(LifecycleStep.EventRefused.class);
  }

  @Test
  void whatIsDoneIsDoneAgainFromANamedStepAlone() {
    RecordingState done = new RecordingState(RecordingStatus.DONE, true, true);
    assertThat(lifecycle.next(done, new RecordingEvent.RetryRequested(false)))
        .isInstanceOf(LifecycleStep.EventRefused.class);
    assertThat(lifecycle.next(done, new RecordingEvent.RetryRequested(true)))
        .isInstanceOf(LifecycleStep.StateChanged.class);
  }

  @Test
  void aFileIsReadyWhereItsMeetingIsKnownAndUnmatchedWhereNot() {
    RecordingState runs = new RecordingState(RecordingStatus.IN_PROGRESS, false, false);
    assertThat(lifecycle.next(runs, new RecordingEvent.FileReady(true)))
        .isEqualTo(
            new LifecycleStep.StateChanged<>(
                new RecordingState(RecordingStatus.READY, true, true), "ready"));
    assertThat(lifecycle.next(runs, new RecordingEvent.FileReady(false)))
        .isEqualTo(
            new LifecycleStep.StateChanged<>(
                new RecordingState(RecordingStatus.UNMATCHED, false, false), "no_meeting"));
  }

  @Test
  void aReportOfThePlatformForgetsNoMeeting() {
    RecordingState placed = new RecordingState(RecordingStatus.IN_PROGRESS, true, false);
    assertThat(lifecycle.next(placed, new RecordingEvent.RecordingCancelled()))
        .isEqualTo(
            new LifecycleStep.StateChanged<>(
                new RecordingState(RecordingStatus.CANCELLED, true, false), "cancelled"));
  }
}
