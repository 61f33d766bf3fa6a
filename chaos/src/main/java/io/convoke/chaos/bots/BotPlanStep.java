package io.convoke.chaos.bots;

import io.convoke.chaos.PlanFormat;
import java.time.Duration;
import java.util.List;

/** One planned step. {@code at} counts from the start of the storm. */
sealed interface BotPlanStep {

  Duration at();

  /**
   * A user requests a bot.
   *
   * @param times number of equal concurrent requests
   * @param stops when the user requests its stop, counted from the first request
   */
  record RequestBot(
      Duration at, int user, String room, int times, List<Duration> stops, BotFault fault)
      implements BotPlanStep {}

  /** Kills the Docker engine while its containers keep running, and restarts it. */
  record KillEngine(Duration at, Duration down) implements BotPlanStep {
    @Override
    public String toString() {
      return PlanFormat.at(
          at, "kill -9 of the Docker engine, started again after " + PlanFormat.seconds(down));
    }
  }
}
