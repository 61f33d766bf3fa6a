package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.CallbackAnswer;

/** Unacknowledged commands of the bot; waits for one if there is none (long poll). {@code GET /callback/commands}. */
public final class BotCommands extends ApiCall<CallbackAnswer> {
  private BotCommands(CallParts parts) {
    super(parts, AnswerType.json(CallbackAnswer.class));
  }

  /** The call, with what it needs. */
  public static BotCommands of() {
    return new BotCommands(
        CallParts.repeatable("GET", "/callback/commands"));
  }

  /** {@code wait}: Seconds to wait. */
  public BotCommands wait_(long value) {
    return new BotCommands(parts().query("wait", value));
  }
}
