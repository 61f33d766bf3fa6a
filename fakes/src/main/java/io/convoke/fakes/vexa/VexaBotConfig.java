package io.convoke.fakes.vexa;

import java.net.URI;
import java.util.List;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * {@code BOT_CONFIG} as the image's own schema reads it: a missing or mistyped field ends the bot
 * before its first call.
 */
record VexaBotConfig(
    String platform,
    String connectionId,
    long meetingId,
    String nativeMeetingId,
    String redisUrl,
    String callbackUrl,
    String containerName,
    boolean hasMeetingUrl,
    long waitingRoomMs) {
  private static final List<String> PLATFORMS = List.of("google_meet", "zoom", "teams");

  static VexaBotConfig parse(String json, VexaRelease vexaRelease) {
    JsonNode config;
    try {
      config = JsonMapper.shared().readTree(json);
    } catch (JacksonException e) {
      throw new IllegalArgumentException("not JSON");
    }
    require(PLATFORMS.contains(text(config, "platform")), "platform");
    JsonNode meetingUrl = config.path("meetingUrl");
    require(!meetingUrl.isMissingNode() && (meetingUrl.isNull() || url(meetingUrl)), "meetingUrl");
    require(!text(config, "botName").isEmpty(), "botName");
    require(!text(config, "token").isEmpty(), "token");
    for (String optional : List.of("language", "task")) {
      JsonNode value = config.path(optional);
      require(value.isMissingNode() || value.isNull() || value.isString(), optional);
    }
    JsonNode leave = config.path("automaticLeave");
    for (String timeout :
        List.of("waitingRoomTimeout", "noOneJoinedTimeout", "everyoneLeftTimeout")) {
      require(leave.path(timeout).isIntegralNumber(), "automaticLeave." + timeout);
    }
    JsonNode meetingId = config.path("meeting_id");
    require(meetingId.isIntegralNumber(), "meeting_id");
    JsonNode callback = config.path(vexaRelease.callbackField());
    require(url(callback), vexaRelease.callbackField());
    return new VexaBotConfig(
        text(config, "platform"),
        text(config, "connectionId"),
        meetingId.asLong(),
        text(config, "nativeMeetingId"),
        text(config, "redisUrl"),
        callback.asString(),
        text(config, "container_name"),
        meetingUrl.isString(),
        leave.path("waitingRoomTimeout").asLong());
  }

  private static String text(JsonNode config, String field) {
    JsonNode value = config.path(field);
    require(value.isString(), field);
    return value.asString();
  }

  private static boolean url(JsonNode value) {
    try {
      return value.isString() && URI.create(value.asString()).isAbsolute();
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private static void require(boolean condition, String field) {
    if (!condition) {
      throw new IllegalArgumentException("Invalid BOT_CONFIG: " + field);
    }
  }
}
