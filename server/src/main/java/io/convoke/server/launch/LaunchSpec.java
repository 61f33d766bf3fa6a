package io.convoke.server.launch;

/**
 * What to launch.
 *
 * @param containerName the same for every call of one (meeting, attempt), and never used by another
 * @param botConfig the JSON of the bot's {@code BOT_CONFIG}; holds the bot's token, so it is never
 *     logged
 */
public record LaunchSpec(long meetingId, int attempt, String containerName, String botConfig) {
  @Override
  public String toString() {
    return "LaunchSpec[" + containerName + "]";
  }
}
