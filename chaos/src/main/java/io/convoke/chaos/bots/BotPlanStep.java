package io.convoke.chaos.bots;

import io.convoke.chaos.PlanFormat;
import java.time.Duration;
import java.util.List;

/** One planned thing. {@code at} counts from the beginning of the storm. */
sealed interface BotPlanStep {

  Duration at();

  /**
   * A user wants a bot.
   *
   * @param times how many equal requests at once
   * @param stops when the user asks it to stop, counted from the first request
   */
  record RequestBot(
      Duration at, int user, String room, int times, List<Duration> stops, BotFault fault)
      implements BotPlanStep {}

  /** kill -9 of servers, started again after a while. */
  record KillBotServers(Duration at, List<Integer> servers, Duration down) implements BotPlanStep {
    @Override
    public String toString() {
      return PlanFormat.at(
          at,
          "kill -9 of servers " + servers + ", started again after " + PlanFormat.seconds(down));
    }
  }

  /** The Docker engine dies, its containers live on, and it is started again. */
  record KillEngine(Duration at, Duration down) implements BotPlanStep {
    @Override
    public String toString() {
      return PlanFormat.at(
          at, "kill -9 of the Docker engine, started again after " + PlanFormat.seconds(down));
    }
  }

  /** Redis is away for a while and comes back with what it knew. */
  record StopRedisOfBots(Duration at, Duration down) implements BotPlanStep {
    @Override
    public String toString() {
      return PlanFormat.at(at, "Redis stops for " + PlanFormat.seconds(down));
    }
  }

  /** Redis forgets everything. */
  record FlushRedisOfBots(Duration at) implements BotPlanStep {
    @Override
    public String toString() {
      return PlanFormat.at(at, "Redis forgets everything");
    }
  }

  /** Every subscription breaks; commands of that moment are lost. */
  record DropCommands(Duration at) implements BotPlanStep {
    @Override
    public String toString() {
      return PlanFormat.at(at, "Redis drops all subscriptions");
    }
  }
}
