package io.convoke.server.bots;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * The operator's settings for bots (docs/spec/contract.md, Configuration).
 *
 * @param countStopping whether a bot in {@code stopping} still counts under its user's limit
 * @param maxLive ceiling of live bots over all users
 * @param launchRate launches a second of this node
 * @param sweepCap how many bots one sweep may fail; empty: the larger of 10 and a tenth of the live
 *     ones
 * @param callbackUrl base that bots call back, without {@code /callback}
 * @param redisUrl what bots may subscribe to for commands; none by default, because it carries
 *     credentials
 * @param protocol the callback protocol of this installation's bots
 * @param environment every bot's environment besides {@code BOT_CONFIG}
 */
public record BotsConfig(
    Duration heartbeatInterval,
    boolean countStopping,
    Optional<Integer> maxLive,
    Optional<Integer> launchRate,
    Optional<Integer> sweepCap,
    Duration reservedTimeout,
    Duration startingTimeout,
    Duration heartbeatTimeout,
    Duration stoppingTimeout,
    Duration sweepInterval,
    Duration killGrace,
    String callbackUrl,
    Optional<String> redisUrl,
    BotProtocol protocol,
    Map<String, String> environment) {

  /** For bots of the native protocol without further environment variables. */
  public BotsConfig(
      Duration heartbeatInterval,
      boolean countStopping,
      Optional<Integer> maxLive,
      Optional<Integer> launchRate,
      Optional<Integer> sweepCap,
      Duration reservedTimeout,
      Duration startingTimeout,
      Duration heartbeatTimeout,
      Duration stoppingTimeout,
      Duration sweepInterval,
      Duration killGrace,
      String callbackUrl,
      Optional<String> redisUrl) {
    this(
        heartbeatInterval,
        countStopping,
        maxLive,
        launchRate,
        sweepCap,
        reservedTimeout,
        startingTimeout,
        heartbeatTimeout,
        stoppingTimeout,
        sweepInterval,
        killGrace,
        callbackUrl,
        redisUrl,
        BotProtocol.CONVOKE,
        Map.of());
  }

  /** The same for bots of another protocol or with further environment variables. */
  public BotsConfig speaking(BotProtocol other, Map<String, String> variables) {
    return new BotsConfig(
        heartbeatInterval,
        countStopping,
        maxLive,
        launchRate,
        sweepCap,
        reservedTimeout,
        startingTimeout,
        heartbeatTimeout,
        stoppingTimeout,
        sweepInterval,
        killGrace,
        callbackUrl,
        redisUrl,
        other,
        variables);
  }

  /** The documented defaults. */
  public static BotsConfig defaults(String callbackUrl, Optional<String> redisUrl) {
    return new BotsConfig(
        Duration.ofSeconds(30),
        false,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Duration.ofMinutes(5),
        Duration.ofMinutes(10),
        Duration.ofMinutes(2),
        Duration.ofMinutes(2),
        Duration.ofMinutes(1),
        Duration.ofSeconds(10),
        callbackUrl,
        redisUrl);
  }
}
