package io.convoke.client.types;

import java.util.List;

/** A {@code CallbackAnswer} of the API. */
public record CallbackAnswer(
    long meetingId,
    String status,
    List<CallbackAnswerCommand> commands) {
  /**
   * A part of what is around it.
   *
   * @param action One of leave, reconfigure, speak, chat.
   */
  public record CallbackAnswerCommand(
      String id,
      String action) {}
}
