package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.CallbackAnswer;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Participants that the bot sees in the room. {@code POST /callback/participants}. */
public final class BotParticipants extends ApiCall<CallbackAnswer> {
  private BotParticipants(CallParts parts) {
    super(parts, AnswerType.json(CallbackAnswer.class));
  }

  /** The call, with what it needs. */
  public static BotParticipants of(String connectionId) {
    return new BotParticipants(
        CallParts.once("POST", "/callback/participants")
            .member("connection_id", connectionId)
            .body());
  }

  /** {@code events}. */
  public BotParticipants events(List<BotParticipantsEvent> events) {
    return new BotParticipants(parts().member("events", events));
  }

  /** {@code everybody}. */
  public BotParticipants everybody(BotParticipantsEverybody everybody) {
    return new BotParticipants(parts().member("everybody", everybody));
  }

  /**
   * A part of what is around it.
   *
   * @param type One of joined, left.
   */
  public record BotParticipantsEvent(
      String id,
      String type,
      String sessionId,
      Optional<String> userId,
      Optional<String> userName,
      Optional<Instant> joinedAt,
      Instant at) {}

  /** A part of what is around it. */
  public record BotParticipantsEverybody(
      Instant at,
      List<BotParticipantsEverybodyParticipant> participants) {
    /** A part of what is around it. */
    public record BotParticipantsEverybodyParticipant(
        String sessionId,
        Optional<String> userId,
        Optional<String> userName,
        Instant joinedAt) {}
  }
}
