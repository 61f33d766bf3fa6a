package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.BotStatusReport;
import java.util.Optional;

/** Change a bot's settings while it is in the meeting. {@code PUT /bots/config}. */
public final class ConfigureBot extends ApiCall<BotStatusReport> {
  private ConfigureBot(CallParts parts) {
    super(parts, AnswerType.json(BotStatusReport.class));
  }

  /** The call, with what it needs. */
  public static ConfigureBot of() {
    return new ConfigureBot(
        CallParts.once("PUT", "/bots/config")
            .body());
  }

  /** {@code user_id}: For admins: the user to act for. */
  public ConfigureBot userId(long userId) {
    return new ConfigureBot(parts().query("user_id", userId));
  }

  /** {@code meeting_id}. */
  public ConfigureBot meetingId(long meetingId) {
    return new ConfigureBot(parts().member("meeting_id", meetingId));
  }

  /** {@code platform}: One of daily, janus, google_meet, zoom, teams. */
  public ConfigureBot platform(String platform) {
    return new ConfigureBot(parts().member("platform", platform));
  }

  /** {@code native_meeting_id}. */
  public ConfigureBot nativeMeetingId(String nativeMeetingId) {
    return new ConfigureBot(parts().member("native_meeting_id", nativeMeetingId));
  }

  /** {@code platform_specific_id}. */
  public ConfigureBot platformSpecificId(String platformSpecificId) {
    return new ConfigureBot(parts().member("platform_specific_id", platformSpecificId));
  }

  /** {@code language}. */
  public ConfigureBot language(String language) {
    return new ConfigureBot(parts().member("language", language));
  }

  /** {@code task}: One of transcribe, translate. */
  public ConfigureBot task(String task) {
    return new ConfigureBot(parts().member("task", task));
  }

  /** {@code bot_name}. */
  public ConfigureBot botName(String botName) {
    return new ConfigureBot(parts().member("bot_name", botName));
  }

  /** {@code automatic_leave}. */
  public ConfigureBot automaticLeave(ConfigureBotAutomaticLeave automaticLeave) {
    return new ConfigureBot(parts().member("automatic_leave", automaticLeave));
  }

  /**
   * A part of what is around it.
   *
   * @param silenceTimeout Seconds without speech after which the bot is asked to leave.
   * @param maxLifetime Seconds after which the bot is asked to leave.
   */
  public record ConfigureBotAutomaticLeave(
      Optional<Double> silenceTimeout,
      Optional<Double> maxLifetime) {}
}
