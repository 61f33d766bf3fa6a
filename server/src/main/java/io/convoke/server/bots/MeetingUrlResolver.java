package io.convoke.server.bots;

import java.util.Optional;

/** Looks up the URL of a meeting by its id at the platform. Called outside of any transaction. */
@FunctionalInterface
public interface MeetingUrlResolver {
  /** The URL to join, if the platform reports one. */
  Optional<String> of(String platform, String nativeMeetingId);
}
