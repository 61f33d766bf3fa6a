package io.convoke.server.launch;

/**
 * What to launch.
 *
 * @param connectionId the launch's own id; with meeting and attempt it tells our container from a
 *     stranger's of the same name
 * @param containerName the same for every call of one (meeting, attempt), and never used by another
 * @param botConfig the JSON of the bot's {@code BOT_CONFIG}; holds the bot's token, so it is never
 *     logged
 */
public record LaunchSpec(
    long meetingId, int attempt, String connectionId, String containerName, String botConfig) {
  @Override
  public String toString() {
    return "LaunchSpec[" + containerName + "]";
  }
}
