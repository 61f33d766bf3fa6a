package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import java.time.Instant;

/** What a link is for. {@code GET /join/room}. */
public final class ReadJoinPass extends ApiCall<ReadJoinPass.ReadJoinPassAnswer> {
  private ReadJoinPass(CallParts parts) {
    super(parts, AnswerType.json(ReadJoinPass.ReadJoinPassAnswer.class));
  }

  /** The call, with what it needs. */
  public static ReadJoinPass of() {
    return new ReadJoinPass(
        CallParts.repeatable("GET", "/join/room"));
  }

  /** {@code X-Join-Token}: What the link has after its #. */
  public ReadJoinPass xJoinToken(String xJoinToken) {
    return new ReadJoinPass(parts().header("X-Join-Token", xJoinToken));
  }

  /**
   * What is answered.
   *
   * @param room Its name on the platform.
   * @param role One of host, guest.
   */
  public record ReadJoinPassAnswer(
      String room,
      String role,
      boolean recorded,
      Instant expiresAt) {}
}
