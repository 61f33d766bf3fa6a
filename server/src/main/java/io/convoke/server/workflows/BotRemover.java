package io.convoke.server.workflows;

/** Removes the processes of a meeting's bot. */
@FunctionalInterface
public interface BotRemover {
  /**
   * Ends every process of the meeting's bot that still runs.
   *
   * @return what was found: {@code none}, {@code gone}, {@code unknown} to the launcher, or {@code
   *     ended} by this call
   * @throws RuntimeException when the launcher is unreachable
   */
  String remove(long meetingId);
}
