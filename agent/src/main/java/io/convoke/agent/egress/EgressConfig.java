package io.convoke.agent.egress;

import io.convoke.agent.RetryPolicy;
import io.convoke.agent.pod.ServerUrl;
import io.convoke.agent.pod.UsageException;
import java.net.URI;
import java.time.Duration;
import java.util.Map;

/**
 * The settings of egress.
 *
 * @param adminUrl of the Janus whose rooms they are
 * @param host of this pod, where Janus sends media
 * @param ffmpeg the program
 * @param firstWait how long to wait in a room without a publisher
 * @param lastWait how long after the last one left
 * @param tick how often is looked for what has become complete
 * @param waitingMax bytes that may wait on the disk while the blob store fails
 * @param retryPolicy the pauses between calls of a blob store that fails, and how long the end of a
 *     task repeats one
 */
record EgressConfig(
    URI adminUrl,
    String adminSecret,
    String adminKey,
    String host,
    String ffmpeg,
    Duration firstWait,
    Duration lastWait,
    Duration tick,
    long waitingMax,
    RetryPolicy retryPolicy) {

  /** The setting that switches egress on. */
  static final String ADMIN_URL = "CONVOKE_JANUS_ADMIN_URL";

  /** Half an hour of a room with a picture and sixteen voices. */
  private static final long WAITING_MAX = 512L << 20;

  /**
   * Reads the settings from the environment.
   *
   * @throws UsageException with a message for the operator
   */
  static EgressConfig read(Map<String, String> environment) {
    return new EgressConfig(
        ServerUrl.read(ADMIN_URL, environment.getOrDefault(ADMIN_URL, "")),
        needed(environment, "CONVOKE_JANUS_ADMIN_SECRET"),
        needed(environment, "CONVOKE_JANUS_ADMIN_KEY"),
        given(environment, "CONVOKE_EGRESS_HOST", "127.0.0.1"),
        given(environment, "CONVOKE_FFMPEG", "ffmpeg"),
        Duration.ofMinutes(10),
        Duration.ofMinutes(1),
        Duration.ofSeconds(1),
        WAITING_MAX,
        RetryPolicy.DEFAULT);
  }

  private static String given(Map<String, String> environment, String name, String fallback) {
    String value = environment.getOrDefault(name, "");
    return value.isEmpty() ? fallback : value;
  }

  private static String needed(Map<String, String> environment, String name) {
    String value = environment.getOrDefault(name, "");
    if (value.isEmpty()) {
      throw new UsageException(name + " is missing, which " + ADMIN_URL + " needs");
    }
    return value;
  }

  @Override
  public String toString() {
    return "EgressConfig[" + adminUrl + "]";
  }
}
