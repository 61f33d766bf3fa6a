package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.CallbackAnswer;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Messages of the chat that the bot has read. {@code POST /callback/chat}. */
public final class BotChat extends ApiCall<CallbackAnswer> {
  private BotChat(CallParts parts) {
    super(parts, AnswerType.json(CallbackAnswer.class));
  }

  /** The call, with what it needs. */
  public static BotChat of(String connectionId, List<BotChatMessage> messages) {
    return new BotChat(
        CallParts.once("POST", "/callback/chat")
            .member("connection_id", connectionId)
            .member("messages", messages)
            .body());
  }

  /** A part of what is around it. */
  public record BotChatMessage(
      String id,
      Optional<String> sender,
      String text,
      Instant at,
      Optional<Boolean> fromBot) {}
}
