package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.Meeting;
import java.time.Instant;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** Send a bot into a meeting. {@code POST /bots/start}. */
public final class StartBot extends ApiCall<Meeting> {
  private StartBot(CallParts parts) {
    super(parts, AnswerType.json(Meeting.class));
  }

  /** The call, with what it needs. */
  public static StartBot of(String platform) {
    return new StartBot(
        CallParts.withKey("POST", "/bots/start")
            .member("platform", platform)
            .body());
  }

  /** {@code user_id}: For admins: the user to act for or to filter by. */
  public StartBot userId(long userId) {
    return new StartBot(parts().query("user_id", userId));
  }

  /** {@code native_meeting_id}. */
  public StartBot nativeMeetingId(String nativeMeetingId) {
    return new StartBot(parts().member("native_meeting_id", nativeMeetingId));
  }

  /** {@code platform_specific_id}. */
  public StartBot platformSpecificId(String platformSpecificId) {
    return new StartBot(parts().member("platform_specific_id", platformSpecificId));
  }

  /** {@code meeting_url}: Where to join, and without native_meeting_id also which meeting: an https address of the platform's own hosts, or of one that the operator lists. */
  public StartBot meetingUrl(String meetingUrl) {
    return new StartBot(parts().member("meeting_url", meetingUrl));
  }

  /** {@code bot_name}. */
  public StartBot botName(String botName) {
    return new StartBot(parts().member("bot_name", botName));
  }

  /** {@code language}. */
  public StartBot language(String language) {
    return new StartBot(parts().member("language", language));
  }

  /** {@code task}: One of transcribe, translate. */
  public StartBot task(String task) {
    return new StartBot(parts().member("task", task));
  }

  /** {@code passcode}. */
  public StartBot passcode(String passcode) {
    return new StartBot(parts().member("passcode", passcode));
  }

  /** {@code start_at}. */
  public StartBot startAt(Instant startAt) {
    return new StartBot(parts().member("start_at", startAt));
  }

  /** {@code queue}: Without a free place, wait for one instead of 429. */
  public StartBot queue(boolean queue) {
    return new StartBot(parts().member("queue", queue));
  }

  /** {@code queue_timeout}: Seconds to wait for a place; then it has failed. */
  public StartBot queueTimeout(double queueTimeout) {
    return new StartBot(parts().member("queue_timeout", queueTimeout));
  }

  /** {@code automatic_leave}. */
  public StartBot automaticLeave(StartBotAutomaticLeave automaticLeave) {
    return new StartBot(parts().member("automatic_leave", automaticLeave));
  }

  /** {@code data}. */
  public StartBot data(JsonNode data) {
    return new StartBot(parts().member("data", data));
  }

  /**
   * A part of what is around it.
   *
   * @param silenceTimeout Seconds without speech after which the bot is asked to leave.
   * @param maxLifetime Seconds after which the bot is asked to leave.
   */
  public record StartBotAutomaticLeave(
      Optional<Double> silenceTimeout,
      Optional<Double> maxLifetime,
      Optional<Double> waitingRoomTimeout,
      Optional<Double> noOneJoinedTimeout,
      Optional<Double> everyoneLeftTimeout) {}
}
