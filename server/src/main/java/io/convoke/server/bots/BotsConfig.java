package io.convoke.server.bots;

import io.convoke.server.config.BackgroundWorkSettings;
import io.convoke.server.config.BotRuleSettings;
import io.convoke.server.config.ServerConfig;
import io.convoke.server.config.Settings;
import java.net.URI;
import java.time.Duration;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

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
 * @param abandonAfter how long after its deadline a bot out of its launcher's reach is given up
 * @param vexa what Vexa's image gets besides
 * @param rules of the server, by which bots end
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
    Map<String, String> environment,
    Duration abandonAfter,
    VexaConfig vexa,
    BotRulesConfig rules) {
  private static final Duration KILL_GRACE = Duration.ofSeconds(10);
  private static final Duration ABANDON_AFTER = Duration.ofHours(6);
  private static final String WHISPER_LIVE = "whisperlive:";

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
        Map.of(),
        ABANDON_AFTER,
        VexaConfig.NONE,
        BotRulesConfig.DEFAULT);
  }

  /** The same for bots of another protocol or with further environment variables. */
  public BotsConfig speaking(BotProtocol other, Map<String, String> variables) {
    return varied(other, variables, vexa, rules);
  }

  /** The same with another configuration of Vexa's image. */
  BotsConfig with(VexaConfig other) {
    return varied(protocol, environment, other, rules);
  }

  /** The same with other rules. */
  BotsConfig under(BotRulesConfig others) {
    return varied(protocol, environment, vexa, others);
  }

  private BotsConfig varied(
      BotProtocol itsProtocol,
      Map<String, String> itsEnvironment,
      VexaConfig itsVexa,
      BotRulesConfig itsRules) {
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
        itsProtocol,
        itsEnvironment,
        abandonAfter,
        itsVexa,
        itsRules);
  }

  /**
   * Reads the settings.
   *
   * @param port of this server's listener, which bots call without a configured address
   */
  public static BotsConfig of(ServerConfig config, int port) {
    return new BotsConfig(
        config.get(Settings.BOTS_HEARTBEAT_INTERVAL),
        config.get(Settings.BOTS_COUNT_STOPPING),
        config.get(Settings.BOTS_MAX_LIVE),
        config.get(Settings.BOTS_LAUNCH_RATE),
        config.get(Settings.BOTS_SWEEP_CAP),
        config.get(Settings.BOTS_RESERVED_TIMEOUT),
        config.get(Settings.BOTS_STARTING_TIMEOUT),
        config.get(Settings.BOTS_HEARTBEAT_TIMEOUT),
        config.get(Settings.BOTS_STOPPING_TIMEOUT),
        sweepInterval(config),
        KILL_GRACE,
        config
            .get(Settings.BOT_CALLBACK_URL)
            .map(URI::toString)
            .orElse("http://" + reachable(config.get(Settings.HOST)) + ":" + port),
        config.get(Settings.BOT_REDIS_URL).map(URI::toString),
        switch (config.get(Settings.BOT_PROTOCOL)) {
          case CONVOKE -> BotProtocol.CONVOKE;
          case VEXA, VEXA12 -> BotProtocol.VEXA;
        },
        whisperLive(config.get(BackgroundWorkSettings.TRANSCRIBER)),
        config.get(Settings.BOTS_ABANDON_AFTER),
        VexaConfig.of(
            config, config.get(Settings.BOT_PROTOCOL) == Settings.BotProtocolSetting.VEXA12),
        new BotRulesConfig(
            config.get(BotRuleSettings.MAX_LIFETIME),
            config.get(BotRuleSettings.MAX_LIFETIME_LIMIT),
            switch (config.get(BotRuleSettings.NO_PROGRESS)) {
              case OFF -> BotRulesConfig.NoProgressAction.OFF;
              case WARN -> BotRulesConfig.NoProgressAction.WARN;
              case END -> BotRulesConfig.NoProgressAction.END;
            },
            config.get(BotRuleSettings.NO_PROGRESS_AFTER),
            config.get(BotRuleSettings.QUEUE_TIMEOUT),
            config.get(BotRuleSettings.QUEUE_MAX)));
  }

  /** The configured interval, or the shortest of the timeouts if the default is longer. */
  private static Duration sweepInterval(ServerConfig config) {
    if (config.get(Settings.BOTS_SWEEP_INTERVAL).compareTo(Duration.ofMinutes(1)) > 0) {
      return config.get(Settings.BOTS_SWEEP_INTERVAL);
    }
    return Stream.of(
            Settings.BOTS_SWEEP_INTERVAL,
            Settings.BOTS_RESERVED_TIMEOUT,
            Settings.BOTS_STARTING_TIMEOUT,
            Settings.BOTS_HEARTBEAT_TIMEOUT,
            Settings.BOTS_STOPPING_TIMEOUT)
        .map(config::get)
        .min(Comparator.naturalOrder())
        .orElseThrow();
  }

  /** WhisperLive settings for Vexa's image, if WhisperLive is the configured transcriber. */
  private static Map<String, String> whisperLive(String transcriber) {
    return transcriber.startsWith(WHISPER_LIVE)
        ? Map.of("WHISPER_LIVE_URL", transcriber.substring(WHISPER_LIVE.length()))
        : Map.of();
  }

  /** The host of a URL that leads to a listener on this address. */
  private static String reachable(String address) {
    return switch (address) {
      case "0.0.0.0" -> "127.0.0.1";
      case "::", "[::]" -> "[::1]";
      default -> address.contains(":") && !address.startsWith("[") ? "[" + address + "]" : address;
    };
  }
}
