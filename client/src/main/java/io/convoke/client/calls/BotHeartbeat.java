package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.CallbackAnswer;
import java.time.Instant;
import java.util.Optional;

/** The bot is alive. {@code POST /callback/heartbeat}. */
public final class BotHeartbeat extends ApiCall<CallbackAnswer> {
  private BotHeartbeat(CallParts parts) {
    super(parts, AnswerType.json(CallbackAnswer.class));
  }

  /** The call, with what it needs. */
  public static BotHeartbeat of(String connectionId) {
    return new BotHeartbeat(
        CallParts.once("POST", "/callback/heartbeat")
            .member("connection_id", connectionId)
            .body());
  }

  /** {@code progress}. */
  public BotHeartbeat progress(BotHeartbeatProgress progress) {
    return new BotHeartbeat(parts().member("progress", progress));
  }

  /** A part of what is around it. */
  public record BotHeartbeatProgress(
      Optional<Double> audioSeconds,
      Optional<Long> participants,
      Optional<Instant> lastSpeechAt) {}
}
