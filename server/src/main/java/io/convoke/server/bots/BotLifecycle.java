package io.convoke.server.bots;

import io.convoke.engine.state.Lifecycle;
import io.convoke.engine.state.LifecycleStep;
import io.convoke.engine.state.TransitionTable;
import io.convoke.server.bots.BotEvent.BotExited;
import io.convoke.server.meetings.MeetingStatus;
import java.util.List;
import java.util.Optional;

/**
 * The one reducer of a bot's lifecycle (bots-5 and bots-6, plus the edges that real deployments
 * need). Pure: callers pass an event, and {@link BotTransitions} alone writes the result.
 *
 * <pre>
 *               reserved             starting             active               stopping
 * started       -> starting          repeated             repeated             repeated
 * awaits admission
 *               illegal              noted                too late             too late
 * joined        illegal              -> active            repeated             repeated if it was in, else illegal
 * heartbeat     illegal              alive                alive                alive
 * leaving       illegal              -> stopping          -> stopping          repeated
 * exited 0      -> failed            -> failed            -> completed         -> completed if it was in, else failed
 *   and says that it was not let in: failed
 * exited other  -> failed            -> failed            -> failed            -> failed
 * launch failed -> failed            illegal              illegal              illegal
 * stopped before launch
 *               -> failed (stopped)  illegal              illegal              illegal
 * process gone  as exited, with the code if the launcher knows it, otherwise as an error
 * killed        -> failed (stop_unheeded) from every state, and only after a stop was asked for
 * overdue       -> failed (never_started, join_timeout, heartbeat_lost, leave_timeout); the exit of
 * a bot that the sweeper ends for it counts as overdue, whichever report comes first
 * </pre>
 *
 * Completed and failed are terminal. The bot's own exit report, repeated because the answer was
 * lost, is a repetition there; every other event is refused, and the bot must leave.
 */
public final class BotLifecycle implements Lifecycle<BotState, BotEvent> {
  /** Every legal move, by the names of the journal and the diagram. */
  static final TransitionTable TABLE =
      TransitionTable.of(
          List.of(
              move("reserved", "started", "starting"),
              move("starting", "joined", "active"),
              move("starting", "leaving", "stopping"),
              move("active", "leaving", "stopping"),
              move("active", "exited 0", "completed"),
              move("active", "process ended 0", "completed"),
              move("stopping", "exited 0", "completed"),
              move("stopping", "process ended 0", "completed"),
              move("reserved", "launch failed", "failed"),
              move("reserved", "stopped before launch", "failed"),
              move("reserved", "exited 0", "failed"),
              move("reserved", "exited with an error", "failed"),
              move("reserved", "process ended 0", "failed"),
              move("reserved", "process gone", "failed"),
              move("reserved", "killed after unheeded stop", "failed"),
              move("reserved", "overdue", "failed"),
              move("starting", "exited 0", "failed"),
              move("starting", "exited with an error", "failed"),
              move("starting", "process ended 0", "failed"),
              move("starting", "process gone", "failed"),
              move("starting", "killed after unheeded stop", "failed"),
              move("starting", "overdue", "failed"),
              move("active", "exited 0", "failed"),
              move("active", "exited with an error", "failed"),
              move("active", "process gone", "failed"),
              move("active", "killed after unheeded stop", "failed"),
              move("active", "overdue", "failed"),
              move("stopping", "exited 0", "failed"),
              move("stopping", "exited with an error", "failed"),
              move("stopping", "process ended 0", "failed"),
              move("stopping", "process gone", "failed"),
              move("stopping", "killed after unheeded stop", "failed"),
              move("stopping", "overdue", "failed")));

  @Override
  public LifecycleStep<BotState> next(BotState state, BotEvent event) {
    if (state.status().terminal()) {
      return ended(state, event);
    }
    return switch (event) {
      case BotEvent.BotStarted _ -> started(state);
      case BotEvent.BotAwaitingAdmission _ ->
          state.status() == MeetingStatus.RESERVED
              ? refuse("a bot reports started before it awaits admission")
              : new LifecycleStep.StateUnchanged<>("awaits admission");
      case BotEvent.BotJoined _ -> joined(state);
      case BotEvent.BotHeartbeat _ -> alive(state);
      case BotEvent.BotLeaving botLeaving -> leaving(state, botLeaving.reason());
      case BotExited botExited ->
          end(
              OutcomeClassifier.exited(
                  state, Optional.of(botExited.exitCode()), botExited.reason()));
      case BotEvent.LaunchFailed failed -> beforeStart(state, failed.reason());
      case BotEvent.LaunchCancelled _ ->
          state.stopRequested() ? beforeStart(state, "stopped") : refuse("no stop was requested");
      case BotEvent.BotProcessEnded gone ->
          end(OutcomeClassifier.exited(state, gone.exitCode(), gone.reason()));
      case BotEvent.BotKilled _ ->
          state.stopRequested()
              ? end(OutcomeClassifier.found(state, "stop_unheeded", Optional.empty()))
              : refuse("no stop was requested");
      case BotEvent.DeadlinePassed deadlinePassed ->
          end(
              OutcomeClassifier.found(
                  state,
                  deadlinePassed.reason().orElseGet(() -> OutcomeClassifier.overdue(state)),
                  deadlinePassed.exitCode()));
    };
  }

  private static LifecycleStep<BotState> started(BotState state) {
    return state.status() == MeetingStatus.RESERVED
        ? new LifecycleStep.StateChanged<>(state.to(MeetingStatus.STARTING), "started")
        : new LifecycleStep.StateUnchanged<>("started is known");
  }

  private static LifecycleStep<BotState> joined(BotState state) {
    return switch (state.status()) {
      case STARTING -> new LifecycleStep.StateChanged<>(state.to(MeetingStatus.ACTIVE), "joined");
      case ACTIVE -> new LifecycleStep.StateUnchanged<>("joined is known");
      case STOPPING ->
          state.admitted()
              ? new LifecycleStep.StateUnchanged<>("joined is known")
              : refuse("it is leaving already");
      case RESERVED -> refuse("a bot reports started before joined");
      case COMPLETED, FAILED -> throw new IllegalStateException("absorbed before");
    };
  }

  private static LifecycleStep<BotState> alive(BotState state) {
    return state.status() == MeetingStatus.RESERVED
        ? refuse("a bot reports started before its first heartbeat")
        : new LifecycleStep.StateUnchanged<>("alive");
  }

  private static LifecycleStep<BotState> leaving(BotState state, Optional<String> reason) {
    return switch (state.status()) {
      case STARTING, ACTIVE ->
          new LifecycleStep.StateChanged<>(
              state.to(MeetingStatus.STOPPING),
              state.stopRequested() ? "stopped" : reason.orElse("leaving"));
      case STOPPING -> new LifecycleStep.StateUnchanged<>("leaving is known");
      case RESERVED -> refuse("a bot reports started before it leaves");
      case COMPLETED, FAILED -> throw new IllegalStateException("absorbed before");
    };
  }

  private static LifecycleStep<BotState> beforeStart(BotState state, String reason) {
    return state.status() == MeetingStatus.RESERVED
        ? end(OutcomeClassifier.found(state, reason, Optional.empty()))
        : refuse("the bot runs already");
  }

  private static LifecycleStep<BotState> ended(BotState state, BotEvent event) {
    boolean saidBefore =
        event instanceof BotExited(int exitCode, Optional<String> _)
            && state
                .outcome()
                .flatMap(BotOutcome::exitCode)
                .filter(known -> known == exitCode)
                .isPresent();
    return saidBefore
        ? new LifecycleStep.StateUnchanged<>("exited is known")
        : refuse("the meeting is over");
  }

  private static LifecycleStep<BotState> end(BotState end) {
    return new LifecycleStep.StateChanged<>(
        end, end.outcome().map(BotOutcome::reason).orElseThrow());
  }

  private static LifecycleStep<BotState> refuse(String reason) {
    return new LifecycleStep.EventRefused<>(reason);
  }

  private static TransitionTable.Transition move(String from, String event, String to) {
    return new TransitionTable.Transition(from, event, to);
  }
}
