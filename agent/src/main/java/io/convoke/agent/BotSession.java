package io.convoke.agent;

import java.util.List;

/** The context of a {@link Bot}: its configuration, and its reports. */
public interface BotSession {
  /** The bot's configuration. */
  BotConfig config();

  /**
   * Reports that the bot waits for admission, from {@link Bot#join}. Its status shows it until it
   * is let in.
   */
  void awaitingAdmission() throws InterruptedException;

  /** Reports transcript segments; they are sent in the background, in order. */
  void transcript(List<TranscriptSegment> segments);

  /** Reports a message of the chat that others wrote; sent in the background, in order. */
  void chatted(ChatMessage chatMessage);

  /** Reports participants; sent in the background, in order. */
  void saw(ParticipantEvent participantEvent);

  /** Whether the bot has been asked to leave. */
  boolean leaving();
}
