package io.convoke.server.bots;

import java.util.Optional;

/** Finds the address of a meeting that the user only named. Asked outside of any transaction. */
@FunctionalInterface
public interface MeetingUrls {
  /** Where to join, if the platform tells. */
  Optional<String> of(String platform, String nativeMeetingId);
}
