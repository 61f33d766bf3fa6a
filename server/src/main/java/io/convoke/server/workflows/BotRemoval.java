package io.convoke.server.workflows;

/** Ends what is left of a meeting's bot. */
@FunctionalInterface
public interface BotRemoval {
  /**
   * Sees to it that no process of the meeting's bot runs.
   *
   * @return what was found: {@code none}, {@code gone}, {@code unknown} to the launcher, or {@code
   *     ended} by us
   * @throws RuntimeException when nobody can say yet
   */
  String remove(long meetingId);
}
