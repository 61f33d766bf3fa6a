package io.convoke.agent;

import java.time.Duration;
import java.util.Optional;

/**
 * The platform-specific part of a bot; {@link BotRunner} does the rest. {@link #join} and {@link
 * #stay} run one after the other on a thread that is interrupted when the bot must leave: let the
 * {@link InterruptedException} propagate.
 */
public interface Bot {

  /**
   * Joins the meeting and returns once the bot is admitted.
   *
   * @throws NotAdmittedException when it was not
   */
  void join(BotSession botSession) throws Exception;

  /**
   * Stays in the meeting until it ends or a leave rule applies. Returns the reason, for example
   * {@code everyone_left}.
   *
   * @throws BotFailure when it cannot go on
   */
  String stay(BotSession botSession) throws Exception;

  /**
   * Leaves the meeting, or cancels the request to join. Called once, in every state. It has three
   * seconds; what takes longer belongs into {@link #finish}.
   */
  void leave(BotSession botSession) throws Exception;

  /**
   * Waits after {@link #leave} for what the bot still makes of the meeting, such as the last words
   * of a transcriber or an upload; what it reports meanwhile is sent. Not called for a launch that
   * is over.
   *
   * @param atMost after that the bot ends: up to 90 s, three after a signal
   */
  default void finish(BotSession botSession, Duration atMost) throws Exception {}

  /**
   * Takes over new settings while it is in the meeting, and returns which. Runs on another thread
   * than {@link #stay}.
   */
  default AppliedSettings reconfigure(BotSession botSession, BotCommand change) throws Exception {
    return AppliedSettings.none(change, "this bot changes no settings while it runs");
  }

  /**
   * Says something in the meeting. Returns when it is about to be said: what comes while the bot
   * still speaks waits for its turn. Runs on another thread than {@link #stay}, as {@link #chat}
   * does; the two never run at the same time.
   *
   * @throws CommandRefusedException with the reason if it cannot
   */
  default void speak(BotSession botSession, SpeakCommand what) throws Exception {
    throw new CommandRefusedException("this bot does not speak");
  }

  /**
   * Writes into the chat of the meeting. The message is reported as the bot's own.
   *
   * @throws CommandRefusedException with the reason if it cannot
   */
  default void chat(BotSession botSession, String text) throws Exception {
    throw new CommandRefusedException("this bot does not write into the chat");
  }

  /** What it has done so far; asked before each heartbeat. Empty: it does not say. */
  default Optional<BotProgress> progress() {
    return Optional.empty();
  }
}
