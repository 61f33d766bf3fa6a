package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.BotBatchReply;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** Send several bots, each with an answer of its own. {@code POST /bots/batch}. */
public final class StartBots extends ApiCall<BotBatchReply> {
  private StartBots(CallParts parts) {
    super(parts, AnswerType.json(BotBatchReply.class));
  }

  /** The call, with what it needs. */
  public static StartBots of(List<StartBotsBot> bots) {
    return new StartBots(
        CallParts.withKey("POST", "/bots/batch")
            .member("bots", bots)
            .body());
  }

  /** {@code user_id}: For admins: the user to act for or to filter by. */
  public StartBots userId(long userId) {
    return new StartBots(parts().query("user_id", userId));
  }

  /**
   * A part of what is around it.
   *
   * @param platform One of daily, janus, google_meet, zoom, teams.
   * @param meetingUrl Where to join, and without native_meeting_id also which meeting: an https address of the platform's own hosts, or of one that the operator lists.
   * @param task One of transcribe, translate.
   * @param queue Without a free place, wait for one instead of 429.
   * @param queueTimeout Seconds to wait for a place; then it has failed.
   */
  public record StartBotsBot(
      String platform,
      Optional<String> nativeMeetingId,
      Optional<String> platformSpecificId,
      Optional<String> meetingUrl,
      Optional<String> botName,
      Optional<String> language,
      Optional<String> task,
      Optional<String> passcode,
      Optional<Instant> startAt,
      Optional<Boolean> queue,
      Optional<Double> queueTimeout,
      Optional<StartBotsBotAutomaticLeave> automaticLeave,
      Optional<JsonNode> data) {
    /**
     * A part of what is around it.
     *
     * @param silenceTimeout Seconds without speech after which the bot is asked to leave.
     * @param maxLifetime Seconds after which the bot is asked to leave.
     */
    public record StartBotsBotAutomaticLeave(
        Optional<Double> silenceTimeout,
        Optional<Double> maxLifetime,
        Optional<Double> waitingRoomTimeout,
        Optional<Double> noOneJoinedTimeout,
        Optional<Double> everyoneLeftTimeout) {}
  }
}
