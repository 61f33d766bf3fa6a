package io.convoke.server.launch;

import java.util.Map;

/**
 * What to launch.
 *
 * @param connectionId the launch's own id; with meeting and attempt it distinguishes our container
 *     from another one of the same name
 * @param containerName the same for every call of one (meeting, attempt), and never used by another
 * @param botConfig the JSON of the bot's {@code BOT_CONFIG}; holds the bot's token, so it is never
 *     logged
 * @param environment what the bot finds in its environment besides {@code BOT_CONFIG}; no secrets
 * @param secrets what it finds there too, and is as secret as {@code BOT_CONFIG}
 */
public record LaunchSpec(
    long meetingId,
    int attempt,
    String connectionId,
    String containerName,
    String botConfig,
    Map<String, String> environment,
    Map<String, String> secrets) {

  /** A bot without further secrets. */
  public LaunchSpec(
      long meetingId,
      int attempt,
      String connectionId,
      String containerName,
      String botConfig,
      Map<String, String> environment) {
    this(meetingId, attempt, connectionId, containerName, botConfig, environment, Map.of());
  }

  /** A bot that needs its {@code BOT_CONFIG} alone. */
  public LaunchSpec(
      long meetingId, int attempt, String connectionId, String containerName, String botConfig) {
    this(meetingId, attempt, connectionId, containerName, botConfig, Map.of());
  }

  @Override
  public String toString() {
    return "LaunchSpec[" + containerName + "]";
  }
}
