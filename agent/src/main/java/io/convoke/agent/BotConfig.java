package io.convoke.agent;

import io.convoke.engine.json.Json;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * The configuration of a bot: the JSON in the environment variable {@code BOT_CONFIG}. Durations
 * are seconds under our names. The JSON also carries the names that Vexa's bot image reads, so that
 * image can be launched with the same text.
 *
 * @param connectionId names this launch: the session's uid and the suffix of the command channel
 * @param attempt grows with each launch of the same meeting; an older bot gets 410 and must leave
 * @param token bearer of the callbacks, good for this launch alone
 * @param callbackUrl base that {@code /callback/...} is appended to
 * @param redisUrl where commands are published; without it, which is the default, the bot waits for
 *     them at {@code GET /callback/commands}
 * @param records whether the bot is to record and upload the sound of the meeting
 */
public record BotConfig(
    long meetingId,
    String connectionId,
    int attempt,
    String platform,
    String nativeMeetingId,
    Optional<String> meetingUrl,
    Optional<String> passcode,
    String botName,
    Optional<String> language,
    String task,
    String token,
    String callbackUrl,
    Optional<String> redisUrl,
    String containerName,
    Duration heartbeatInterval,
    AutomaticLeave automaticLeave,
    boolean records) {

  /**
   * Reads the text of {@code BOT_CONFIG}.
   *
   * @throws IllegalArgumentException naming the field that is missing or malformed, never its value
   */
  public static BotConfig parse(String json) {
    JsonNode tree;
    try {
      tree = Json.read(json);
    } catch (JacksonException e) {
      throw new IllegalArgumentException("BOT_CONFIG is not JSON");
    }
    JsonNode leave = tree.path("automatic_leave");
    return new BotConfig(
        number(tree, "meeting_id"),
        text(tree, "connection_id"),
        Math.toIntExact(number(tree, "attempt")),
        text(tree, "platform"),
        text(tree, "native_meeting_id"),
        maybe(tree, "meeting_url"),
        maybe(tree, "passcode"),
        maybe(tree, "bot_name").orElse("Convoke"),
        maybe(tree, "language"),
        maybe(tree, "task").orElse("transcribe"),
        text(tree, "token"),
        text(tree, "callback_url"),
        maybe(tree, "redis_url"),
        maybe(tree, "container_name").orElse(""),
        seconds(tree, "heartbeat_interval", Duration.ofSeconds(30)),
        new AutomaticLeave(
            seconds(leave, "waiting_room_timeout", AutomaticLeave.DEFAULT.waitingRoom()),
            seconds(leave, "no_one_joined_timeout", AutomaticLeave.DEFAULT.noOneJoined()),
            seconds(leave, "everyone_left_timeout", AutomaticLeave.DEFAULT.everyoneLeft())),
        tree.path("recordingEnabled").asBoolean(false));
  }

  /**
   * The text of {@code BOT_CONFIG}, in ASCII: a bot's environment has no locale, and without one a
   * JVM reads nothing else. It holds the token: never log it.
   */
  public String json() {
    return json(Map.of());
  }

  /** The same with further fields. */
  public String json(Map<String, ?> further) {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("meeting_id", meetingId);
    json.put("connection_id", connectionId);
    json.put("attempt", attempt);
    json.put("platform", platform);
    json.put("native_meeting_id", nativeMeetingId);
    meetingUrl.ifPresent(url -> json.put("meeting_url", url));
    passcode.ifPresent(code -> json.put("passcode", code));
    json.put("bot_name", botName);
    language.ifPresent(tongue -> json.put("language", tongue));
    json.put("task", task);
    json.put("token", token);
    json.put("callback_url", callbackUrl);
    redisUrl.ifPresent(url -> json.put("redis_url", url));
    json.put("container_name", containerName);
    json.put("heartbeat_interval", AutomaticLeave.number(heartbeatInterval));
    json.put("automatic_leave", automaticLeave.seconds());
    json.put("meetingUrl", meetingUrl.orElse(null));
    json.put("botName", botName);
    json.put("nativeMeetingId", nativeMeetingId);
    json.put("connectionId", connectionId);
    redisUrl.ifPresent(url -> json.put("redisUrl", url));
    json.put("automaticLeave", automaticLeave.vexa());
    if (records) {
      json.put("recordingEnabled", true);
    }
    String vexaCallback = callbackUrl + "/bots/internal/callback/" + token + "/exited";
    json.put("botManagerCallbackUrl", vexaCallback);
    json.put("meetingApiCallbackUrl", vexaCallback);
    json.putAll(further);
    return Json.ascii(json);
  }

  /** The channel that commands for this launch are published on. */
  public String commandChannel() {
    return "bot_commands:" + connectionId;
  }

  @Override
  public String toString() {
    return "BotConfig[meeting " + meetingId + ", attempt " + attempt + ", " + platform + "]";
  }

  private static Optional<String> maybe(JsonNode tree, String field) {
    JsonNode value = tree.path(field);
    return value.isString() && !value.asString().isEmpty()
        ? Optional.of(value.asString())
        : Optional.empty();
  }

  private static String text(JsonNode tree, String field) {
    return maybe(tree, field)
        .orElseThrow(() -> new IllegalArgumentException("BOT_CONFIG needs the text " + field));
  }

  private static long number(JsonNode tree, String field) {
    JsonNode value = tree.path(field);
    if (!value.canConvertToLong()) {
      throw new IllegalArgumentException("BOT_CONFIG needs the number " + field);
    }
    return value.asLong();
  }

  private static Duration seconds(JsonNode tree, String field, Duration otherwise) {
    JsonNode value = tree.path(field);
    return value.isNumber() && value.asDouble() > 0
        ? Duration.ofMillis(Math.round(value.asDouble() * 1000))
        : otherwise;
  }
}
