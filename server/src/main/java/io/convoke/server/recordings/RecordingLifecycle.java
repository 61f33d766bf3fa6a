package io.convoke.server.recordings;

import static io.convoke.server.recordings.RecordingStatus.CANCELLED;
import static io.convoke.server.recordings.RecordingStatus.DONE;
import static io.convoke.server.recordings.RecordingStatus.EMPTY;
import static io.convoke.server.recordings.RecordingStatus.FAILED;
import static io.convoke.server.recordings.RecordingStatus.GIVEN_UP;
import static io.convoke.server.recordings.RecordingStatus.IN_PROGRESS;
import static io.convoke.server.recordings.RecordingStatus.PROCESSING;
import static io.convoke.server.recordings.RecordingStatus.READY;
import static io.convoke.server.recordings.RecordingStatus.UNMATCHED;

import io.convoke.engine.state.Lifecycle;
import io.convoke.engine.state.LifecycleStep;
import io.convoke.engine.state.TransitionTable;
import java.util.List;

/**
 * The one reducer of a recording's lifecycle. Pure; {@link RecordingTransitions} alone writes the
 * result. A recording begins {@code in_progress}, in the transaction of its first report.
 *
 * <pre>
 *                     in_progress     unmatched    ready        processing   done, failed, given_up   cancelled, empty
 * started             repeated        late         late         late         late                     late
 * ready, placed       -> ready        repeated     repeated     repeated     late (*)                 late
 * ready, not placed   -> unmatched    repeated     repeated     repeated     late (*)                 late
 * ready, no length    -> empty        late         late         late         late                     late
 * cancelled           -> cancelled    late         late         late         late                     late
 * platform error      -> failed       late         late         late         late                     late
 * given up            -> given_up     -> given_up  illegal      illegal      late                     late
 * matched             illegal         -> ready     illegal      illegal      illegal                  illegal
 * begun               illegal         illegal      -> processing repeated    illegal                  illegal
 * finished            illegal         illegal      illegal      -> done      illegal                  illegal
 * step failed         illegal         illegal      -> failed    -> failed    illegal                  illegal
 * retried             illegal         illegal      illegal      illegal      -> ready if it is placed illegal
 * </pre>
 *
 * Terminal states absorb all reports of platform and workflow but one (*): an error of the platform
 * is not always the end, so a recording that failed by one and had no run is ready or unmatched
 * once its file is there. Else only a user's retry leaves three of them, which begins another run.
 * A done recording is repeated only from a named step.
 */
final class RecordingLifecycle implements Lifecycle<RecordingState, RecordingEvent> {
  /** Every legal move, by the names of the journal and the diagram. */
  static final TransitionTable TABLE =
      TransitionTable.of(
          List.of(
              move("in_progress", "ready", "ready"),
              move("in_progress", "ready, whose is unknown", "unmatched"),
              move("in_progress", "ready without length", "empty"),
              move("in_progress", "cancelled", "cancelled"),
              move("in_progress", "platform error", "failed"),
              move("in_progress", "given up", "given_up"),
              move("unmatched", "given up", "given_up"),
              move("unmatched", "matched", "ready"),
              move("ready", "begun", "processing"),
              move("ready", "step failed", "failed"),
              move("processing", "finished", "done"),
              move("processing", "step failed", "failed"),
              move("failed", "ready", "ready"),
              move("failed", "ready, whose is unknown", "unmatched"),
              move("failed", "retried", "ready"),
              move("given_up", "retried", "ready"),
              move("done", "retried", "ready")));

  @Override
  public LifecycleStep<RecordingState> next(RecordingState state, RecordingEvent event) {
    return switch (event) {
      case RecordingEvent.RecordingStarted _ -> new LifecycleStep.StateUnchanged<>("it is known");
      case RecordingEvent.FileReady(boolean placed) -> fileReady(state, placed);
      case RecordingEvent.FileEmpty _ -> reported(state, state.to(EMPTY), "no_length");
      case RecordingEvent.RecordingCancelled _ -> reported(state, state.to(CANCELLED), "cancelled");
      case RecordingEvent.RecordingBroken(String message) ->
          reported(state, state.to(FAILED), "platform_error: " + message);
      case RecordingEvent.RecordingAbandoned(String why) -> giveUp(state, why);
      case RecordingEvent.MeetingMatched _ ->
          state.status() == UNMATCHED
              ? new LifecycleStep.StateChanged<>(state.ready(), "matched")
              : refuse("it is " + state.status().wireName());
      case RecordingEvent.WorkBegun _ -> begun(state);
      case RecordingEvent.WorkFinished _ ->
          state.status() == PROCESSING
              ? new LifecycleStep.StateChanged<>(state.to(DONE), "done")
              : refuse("it is not being processed");
      case RecordingEvent.StepFailed(String why) ->
          state.status() == PROCESSING || state.status() == READY
              ? new LifecycleStep.StateChanged<>(state.to(FAILED), why)
              : refuse("it is not being processed");
      case RecordingEvent.RetryRequested(boolean step) -> retried(state, step);
    };
  }

  /** A file also moves a recording of which the platform had reported an error. */
  private static LifecycleStep<RecordingState> fileReady(RecordingState state, boolean placed) {
    RecordingState to = placed ? state.ready() : state.to(UNMATCHED);
    String reason = placed ? "ready" : "no_meeting";
    return state.broken()
        ? new LifecycleStep.StateChanged<>(to, reason)
        : reported(state, to, reason);
  }

  /** Platform reports move recordings that still wait for the platform. */
  private static LifecycleStep<RecordingState> reported(
      RecordingState state, RecordingState to, String reason) {
    return state.status() == IN_PROGRESS
        ? new LifecycleStep.StateChanged<>(to, reason)
        : new LifecycleStep.StateUnchanged<>("it is " + state.status().wireName());
  }

  private static LifecycleStep<RecordingState> giveUp(RecordingState state, String why) {
    return switch (state.status()) {
      case IN_PROGRESS, UNMATCHED -> new LifecycleStep.StateChanged<>(state.to(GIVEN_UP), why);
      case READY, PROCESSING -> refuse("it is being processed");
      case DONE, FAILED, CANCELLED, EMPTY, GIVEN_UP ->
          new LifecycleStep.StateUnchanged<>("it is over");
    };
  }

  private static LifecycleStep<RecordingState> begun(RecordingState state) {
    return switch (state.status()) {
      case READY -> new LifecycleStep.StateChanged<>(state.to(PROCESSING), "begun");
      case PROCESSING -> new LifecycleStep.StateUnchanged<>("it is being worked on");
      case IN_PROGRESS, UNMATCHED, DONE, FAILED, CANCELLED, EMPTY, GIVEN_UP ->
          refuse("it is " + state.status().wireName());
    };
  }

  private static LifecycleStep<RecordingState> retried(RecordingState state, boolean step) {
    boolean open =
        switch (state.status()) {
          case FAILED, GIVEN_UP -> true;
          case DONE -> step;
          case IN_PROGRESS, READY, PROCESSING, UNMATCHED, CANCELLED, EMPTY -> false;
        };
    if (!open) {
      return refuse("it is " + state.status().wireName());
    }
    return state.placed()
        ? new LifecycleStep.StateChanged<>(state.ready(), "retried")
        : refuse("its meeting is not known");
  }

  private static LifecycleStep<RecordingState> refuse(String reason) {
    return new LifecycleStep.EventRefused<>(reason);
  }

  private static TransitionTable.Transition move(String from, String event, String to) {
    return new TransitionTable.Transition(from, event, to);
  }
}
