package io.convoke.server.bots;

import io.convoke.engine.state.Lifecycle;
import io.convoke.engine.state.Step;
import io.convoke.engine.state.TransitionTable;
import io.convoke.server.bots.BotEvent.Exited;
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
  public Step<BotState> next(BotState state, BotEvent event) {
    if (state.status().terminal()) {
      return ended(state, event);
    }
    return switch (event) {
      case BotEvent.Started _ -> started(state);
      case BotEvent.Joined _ -> joined(state);
      case BotEvent.Beat _ -> alive(state);
      case BotEvent.Leaving leaving -> leaving(state, leaving.reason());
      case Exited exited ->
          end(Outcomes.exited(state, Optional.of(exited.exitCode()), exited.reason()));
      case BotEvent.LaunchFailed failed -> beforeStart(state, failed.reason());
      case BotEvent.Cancelled _ ->
          state.stopRequested() ? beforeStart(state, "stopped") : refuse("no stop was requested");
      case BotEvent.Vanished gone -> end(Outcomes.exited(state, gone.exitCode(), gone.reason()));
      case BotEvent.Killed _ ->
          state.stopRequested()
              ? end(Outcomes.found(state, "stop_unheeded"))
              : refuse("no stop was requested");
      case BotEvent.Overdue overdue ->
          end(Outcomes.found(state, overdue.reason().orElseGet(() -> Outcomes.overdue(state))));
    };
  }

  private static Step<BotState> started(BotState state) {
    return state.status() == MeetingStatus.RESERVED
        ? new Step.Move<>(state.to(MeetingStatus.STARTING), "started")
        : new Step.Stay<>("started is known");
  }

  private static Step<BotState> joined(BotState state) {
    return switch (state.status()) {
      case STARTING -> new Step.Move<>(state.to(MeetingStatus.ACTIVE), "joined");
      case ACTIVE -> new Step.Stay<>("joined is known");
      case STOPPING ->
          state.admitted() ? new Step.Stay<>("joined is known") : refuse("it is leaving already");
      case RESERVED -> refuse("a bot reports started before joined");
      case COMPLETED, FAILED -> throw new IllegalStateException("absorbed before");
    };
  }

  private static Step<BotState> alive(BotState state) {
    return state.status() == MeetingStatus.RESERVED
        ? refuse("a bot reports started before its first heartbeat")
        : new Step.Stay<>("alive");
  }

  private static Step<BotState> leaving(BotState state, Optional<String> reason) {
    return switch (state.status()) {
      case STARTING, ACTIVE ->
          new Step.Move<>(
              state.to(MeetingStatus.STOPPING),
              state.stopRequested() ? "stopped" : reason.orElse("leaving"));
      case STOPPING -> new Step.Stay<>("leaving is known");
      case RESERVED -> refuse("a bot reports started before it leaves");
      case COMPLETED, FAILED -> throw new IllegalStateException("absorbed before");
    };
  }

  private static Step<BotState> beforeStart(BotState state, String reason) {
    return state.status() == MeetingStatus.RESERVED
        ? end(Outcomes.found(state, reason))
        : refuse("the bot runs already");
  }

  private static Step<BotState> ended(BotState state, BotEvent event) {
    boolean saidBefore =
        event instanceof Exited(int exitCode, Optional<String> _)
            && state
                .outcome()
                .flatMap(Outcome::exitCode)
                .filter(known -> known == exitCode)
                .isPresent();
    return saidBefore ? new Step.Stay<>("exited is known") : refuse("the meeting is over");
  }

  private static Step<BotState> end(BotState end) {
    return new Step.Move<>(end, end.outcome().map(Outcome::reason).orElseThrow());
  }

  private static Step<BotState> refuse(String reason) {
    return new Step.Refuse<>(reason);
  }

  private static TransitionTable.Transition move(String from, String event, String to) {
    return new TransitionTable.Transition(from, event, to);
  }
}
