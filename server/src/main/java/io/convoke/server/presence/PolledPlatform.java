package io.convoke.server.presence;

import io.convoke.server.platform.PlatformClient;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A platform whose presence is polled.
 *
 * @param client asks it
 * @param intake how its events arrive
 * @param budget the calls that may be made to it
 * @param others further platforms that are polled, by features of their own
 * @param first whether this feature also ends the meetings on platforms that are not polled, and
 *     deletes what is old
 */
public record PolledPlatform(
    PlatformClient client,
    EventIntake intake,
    ApiBudget budget,
    Set<String> others,
    boolean first) {
  public PolledPlatform {
    others = Set.copyOf(others);
  }

  PlatformKeys keys() {
    return new PlatformKeys(client.name());
  }

  /** All platforms that are polled. */
  Set<String> names() {
    return Stream.concat(Stream.of(client.name()), others.stream())
        .collect(Collectors.toUnmodifiableSet());
  }

  /** Whether reports of bots on this platform are not needed: its own answers count. */
  boolean polls(String platform) {
    return platform.equals(client.name()) || others.contains(platform);
  }

  /** Whether this feature looks after the end of meetings on this platform. */
  boolean ends(String platform) {
    return platform.equals(client.name()) || (first && !others.contains(platform));
  }
}
