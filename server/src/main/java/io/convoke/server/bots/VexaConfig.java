package io.convoke.server.bots;

import io.convoke.agent.AutomaticLeave;
import io.convoke.agent.BotConfig;
import io.convoke.engine.json.Json;
import io.convoke.server.config.ServerConfig;
import io.convoke.server.config.VexaSettings;
import java.net.URI;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What Vexa's image gets besides what every bot gets.
 *
 * @param closedSchema whether it is release 0.12 or later, whose configuration is another one
 * @param transcriptionUrl where it transcribes, from 0.10 on
 * @param records whether it records and uploads, from 0.9 on
 */
public record VexaConfig(
    boolean closedSchema,
    Optional<String> transcriptionUrl,
    Optional<String> transcriptionKey,
    boolean records) {
  /** Nothing. */
  static final VexaConfig NONE = new VexaConfig(false, Optional.empty(), Optional.empty(), false);

  /** The variable that release 0.12 reads. */
  static final String VARIABLE = "VEXA_BOT_CONFIG";

  /** The variable with the milliseconds that a bot of 0.12 stays at most; without it 4 h. */
  private static final String LONGEST_STAY = "BOT_MAX_ACTIVE_MS";

  /**
   * From 0.12.16 on the image leaves when it has heard no other participant for its {@code
   * everyoneLeftTimeout}, whether they are there or not. This is its own default.
   */
  private static final Duration SILENCE_MIN = Duration.ofMinutes(10);

  static VexaConfig of(ServerConfig config, boolean closedSchema) {
    return new VexaConfig(
        closedSchema,
        config.get(VexaSettings.TRANSCRIPTION_URL).map(URI::toString),
        config.get(VexaSettings.TRANSCRIPTION_KEY),
        config.get(VexaSettings.RECORDING));
  }

  /**
   * {@code BOT_CONFIG} with the fields that releases 0.9 and 0.10 read; earlier ones ignore them.
   */
  String open(BotConfig config) {
    return config.json(services(config));
  }

  /**
   * {@code VEXA_BOT_CONFIG}: the fields of 0.12.0, whose schema has no others. Its entries in the
   * stream of words carry no token, but the native meeting id as it was given, which the image uses
   * for nothing else: so the token is given as that (decision 159).
   */
  String closed(BotConfig config, BotLimits limits) {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("platform", config.platform());
    json.put("meetingUrl", config.meetingUrl().orElse(null));
    json.put("botName", config.botName());
    json.put("nativeMeetingId", config.token());
    json.put("token", config.token());
    json.put("connectionId", config.connectionId());
    json.put("meeting_id", config.meetingId());
    json.put("container_name", config.containerName());
    json.put("redisUrl", config.redisUrl().orElse(""));
    json.put("meetingApiCallbackUrl", config.callbackUrl() + "/bots/internal/lifecycle");
    json.put("internalSecret", config.token());
    config.language().ifPresent(language -> json.put("language", language));
    json.put("task", config.task());
    json.put("automaticLeave", patient(config.automaticLeave(), limits).vexa());
    json.putAll(services(config));
    return Json.ascii(json);
  }

  /**
   * What release 0.12 finds in its environment: it may stay for as long as a user may let a bot
   * run, since the server ends it before that by its own rule.
   */
  Map<String, String> environment(BotRulesConfig rules) {
    if (!closedSchema) {
      return Map.of();
    }
    long longest = Math.max(rules.maxLifetime().toMillis(), rules.maxLifetimeLimit().toMillis());
    // A timer of Node.js with more milliseconds than an int holds fires at once.
    return Map.of(LONGEST_STAY, Long.toString(Math.min(longest, Integer.MAX_VALUE)));
  }

  /** It does not leave before the server's rule for silences, if there is one, asks it to. */
  private static AutomaticLeave patient(AutomaticLeave rules, BotLimits limits) {
    return new AutomaticLeave(
        rules.waitingRoom(),
        rules.noOneJoined(),
        Collections.max(
            List.of(SILENCE_MIN, rules.everyoneLeft(), limits.silence().orElse(SILENCE_MIN))));
  }

  private Map<String, Object> services(BotConfig config) {
    Map<String, Object> fields = new LinkedHashMap<>();
    transcriptionUrl.ifPresent(url -> fields.put("transcriptionServiceUrl", url));
    transcriptionKey.ifPresent(key -> fields.put("transcriptionServiceToken", key));
    if (records) {
      fields.put("recordingEnabled", true);
      fields.put("recordingUploadUrl", config.callbackUrl() + "/bots/internal/recordings");
    }
    return fields;
  }
}
