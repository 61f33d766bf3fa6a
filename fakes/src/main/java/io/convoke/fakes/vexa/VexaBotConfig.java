package io.convoke.fakes.vexa;

import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The configuration as the image's own schema reads it: a missing or mistyped field ends the bot
 * before its first call, and so does a field that the closed schema of 0.12 does not know.
 *
 * @param silenceMs how long a bot of 0.12.16 stays without the sound of others
 * @param transcriptionServiceUrl where the image transcribes; from 0.10 on there are no words
 *     without it
 * @param recordingUploadUrl empty also where the bot shall not record
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
    long waitingRoomMs,
    long noOneJoinedMs,
    long silenceMs,
    String token,
    Optional<String> internalSecret,
    Optional<String> transcriptionServiceUrl,
    Optional<String> recordingUploadUrl,
    String room) {
  private static final Set<String> PLATFORMS = Set.of("google_meet", "zoom", "teams");
  private static final Set<String> CLOSED =
      Set.of(
          "platform",
          "meetingUrl",
          "botName",
          "passcode",
          "nativeMeetingId",
          "token",
          "connectionId",
          "meeting_id",
          "container_name",
          "redisUrl",
          "meetingApiCallbackUrl",
          "internalSecret",
          "language",
          "task",
          "allowedLanguages",
          "transcribeEnabled",
          "transcriptionTier",
          "transcriptionServiceUrl",
          "transcriptionServiceToken",
          "transcriptionModel",
          "recordingEnabled",
          "captureSignalEnabled",
          "captureModes",
          "recordingUploadUrl",
          "automaticLeave",
          "reconnectionIntervalMs",
          "voiceAgentEnabled",
          "defaultAvatarUrl",
          "videoReceiveEnabled",
          "cameraEnabled",
          "authenticated",
          "userdataS3Path",
          "s3Endpoint",
          "s3Bucket",
          "s3AccessKey",
          "s3SecretKey");

  /** The fields that 0.12.0 does not know; later releases of 0.12 do. */
  private static final Set<String> LATER =
      Set.of("passcode", "transcriptionModel", "captureSignalEnabled");

  private static final List<String> TIMEOUTS =
      List.of("waitingRoomTimeout", "noOneJoinedTimeout", "everyoneLeftTimeout");

  private static final long SILENCE_MS = 600_000;
  private static final long STAY_MS = 14_400_000;

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
    for (String optional : List.of("language", "task")) {
      JsonNode value = config.path(optional);
      require(value.isMissingNode() || value.isNull() || value.isString(), optional);
    }
    for (String flag : List.of("recordingEnabled", "transcribeEnabled")) {
      require(config.path(flag).isMissingNode() || config.path(flag).isBoolean(), flag);
    }
    JsonNode upload = config.path("recordingUploadUrl");
    require(upload.isMissingNode() || url(upload), "recordingUploadUrl");
    JsonNode leave = config.path("automaticLeave");
    for (String timeout : TIMEOUTS) {
      require(leave.path(timeout).isIntegralNumber(), "automaticLeave." + timeout);
    }
    require(config.path("meeting_id").isIntegralNumber(), "meeting_id");
    require(url(config.path(vexaRelease.callbackField())), vexaRelease.callbackField());
    if (vexaRelease == VexaRelease.V0_12) {
      close(config, leave);
    } else {
      require(!text(config, "token").isEmpty(), "token");
    }
    return new VexaBotConfig(
        text(config, "platform"),
        text(config, "connectionId"),
        config.path("meeting_id").asLong(),
        text(config, "nativeMeetingId"),
        text(config, "redisUrl"),
        config.path(vexaRelease.callbackField()).asString(),
        text(config, "container_name"),
        meetingUrl.isString(),
        leave.path("waitingRoomTimeout").asLong(),
        leave.path("noOneJoinedTimeout").asLong(),
        positive(leave.path("everyoneLeftTimeout").asLong(), SILENCE_MS),
        config.path("token").asString(""),
        maybe(config, "internalSecret"),
        maybe(config, "transcriptionServiceUrl"),
        config.path("recordingEnabled").asBoolean(false)
            ? maybe(config, "recordingUploadUrl")
            : Optional.empty(),
        meetingUrl.isString() ? meetingUrl.asString() : "");
  }

  /**
   * How long a bot of 0.12 stays in a meeting at most: 4 h, unless its environment says otherwise,
   * and a minute more than each of its other patiences.
   */
  long longestStayMs(Optional<String> variable) {
    long floor = Math.max(silenceMs, Math.max(noOneJoinedMs, waitingRoomMs)) + 60_000;
    return Math.max(variable.map(Long::parseLong).orElse(STAY_MS), floor);
  }

  private static long positive(long value, long otherwise) {
    return value > 0 ? value : otherwise;
  }

  private static void close(JsonNode config, JsonNode leave) {
    config
        .propertyNames()
        .forEach(name -> require(CLOSED.contains(name) && !LATER.contains(name), name));
    leave.propertyNames().forEach(name -> require(TIMEOUTS.contains(name), name));
  }

  private static Optional<String> maybe(JsonNode config, String field) {
    JsonNode value = config.path(field);
    require(value.isMissingNode() || value.isString(), field);
    return value.isString() ? Optional.of(value.asString()) : Optional.empty();
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
