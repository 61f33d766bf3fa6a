package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.CallbackAnswer;
import java.util.List;

/** The bot acknowledges a command. {@code POST /callback/ack}. */
public final class BotAck extends ApiCall<CallbackAnswer> {
  private BotAck(CallParts parts) {
    super(parts, AnswerType.json(CallbackAnswer.class));
  }

  /** The call, with what it needs. */
  public static BotAck of(String connectionId, String commandId) {
    return new BotAck(
        CallParts.once("POST", "/callback/ack")
            .member("connection_id", connectionId)
            .member("command_id", commandId)
            .body());
  }

  /** {@code applied}. */
  public BotAck applied(List<String> applied) {
    return new BotAck(parts().member("applied", applied));
  }

  /** {@code not_applied}. */
  public BotAck notApplied(List<BotAckNotAppliedItem> notApplied) {
    return new BotAck(parts().member("not_applied", notApplied));
  }

  /** A part of what is around it. */
  public record BotAckNotAppliedItem(
      String setting,
      String reason) {}
}
