package io.convoke.agent;

/**
 * What one kind of bot does; {@link BotRunner} does the rest. {@link #join} and {@link #stay} run
 * one after the other on a thread that is interrupted when the bot must go: let the {@link
 * InterruptedException} out.
 */
public interface Bot {

  /**
   * Gets into the meeting and returns once it was let in.
   *
   * @throws NotAdmitted when it was not
   */
  void join(Session session) throws Exception;

  /**
   * Is in the meeting, until that is over or a rule says to go. Returns the reason, for example
   * {@code everyone_left}.
   *
   * @throws BotFailure when it cannot go on
   */
  String stay(Session session) throws Exception;

  /**
   * Leaves the meeting, or takes back the knock at its door. Called once, however far the bot came.
   */
  void leave(Session session) throws Exception;

  /**
   * Takes over new settings while it is in the meeting. Runs on another thread than {@link #stay}.
   */
  default void reconfigure(Session session, Command change) throws Exception {}
}
