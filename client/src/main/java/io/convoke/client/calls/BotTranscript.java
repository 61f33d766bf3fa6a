package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.CallbackAnswer;
import java.util.List;
import java.util.Optional;

/** Transcript segments from the bot. {@code POST /callback/transcript}. */
public final class BotTranscript extends ApiCall<CallbackAnswer> {
  private BotTranscript(CallParts parts) {
    super(parts, AnswerType.json(CallbackAnswer.class));
  }

  /** The call, with what it needs. */
  public static BotTranscript of(String connectionId, List<BotTranscriptSegment> segments) {
    return new BotTranscript(
        CallParts.once("POST", "/callback/transcript")
            .member("connection_id", connectionId)
            .member("segments", segments)
            .body());
  }

  /**
   * A part of what is around it.
   *
   * @param completed False for a draft: a later segment with its start and speaker replaces it.
   * @param levelDb How loud the words are, in dBov (RFC 6464); 0 is the loudest.
   */
  public record BotTranscriptSegment(
      double start,
      double end,
      String text,
      Optional<String> speaker,
      Optional<String> language,
      Optional<Boolean> completed,
      Optional<Double> levelDb) {}
}
