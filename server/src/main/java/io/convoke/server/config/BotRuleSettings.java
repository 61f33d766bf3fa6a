package io.convoke.server.config;

import static io.convoke.server.config.Setting.setting;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The settings of rules that end bots, and of the queue for a place. */
public final class BotRuleSettings {
  private static final List<Setting<?>> ALL = new ArrayList<>();

  public static final Setting<Duration> MAX_LIFETIME =
      add(
          setting(
              "CONVOKE_BOTS_MAX_LIFETIME",
              "8h",
              "how long a bot may run; `automatic_leave.max_lifetime` replaces it",
              SettingParsers::interval));
  public static final Setting<Duration> MAX_LIFETIME_LIMIT =
      add(
          setting(
              "CONVOKE_BOTS_MAX_LIFETIME_LIMIT",
              "24h",
              "the longest `automatic_leave.max_lifetime`",
              SettingParsers::interval));
  public static final Setting<NoProgressSetting> NO_PROGRESS =
      add(
          setting(
              "CONVOKE_BOTS_NO_PROGRESS",
              "warn",
              "what follows when the progress that an active bot reports does not change: `off`,"
                  + " `warn` (event `bot.no_progress`) or `end` (the bot is asked to leave)",
              SettingParsers.oneOf(NoProgressSetting.class)));
  public static final Setting<Duration> NO_PROGRESS_AFTER =
      add(
          setting(
              "CONVOKE_BOTS_NO_PROGRESS_AFTER",
              "10m",
              "how long that progress may stay the same",
              SettingParsers::interval));
  public static final Setting<Duration> QUEUE_TIMEOUT =
      add(
          setting(
              "CONVOKE_BOTS_QUEUE_TIMEOUT",
              "1h",
              "how long a bot with `queue` waits for a place; `queue_timeout` replaces it",
              SettingParsers::interval));
  public static final Setting<Integer> QUEUE_MAX =
      add(
          setting(
              "CONVOKE_BOTS_QUEUE_MAX",
              "100",
              "bots of one user that wait for a place at most",
              SettingParsers.number(0, 10_000)));

  /** What follows a lack of progress. */
  public enum NoProgressSetting {
    OFF,
    WARN,
    END
  }

  private BotRuleSettings() {}

  static List<Setting<?>> all() {
    return List.copyOf(ALL);
  }

  private static <T> Setting<T> add(Setting<T> setting) {
    ALL.add(setting);
    return setting;
  }
}
