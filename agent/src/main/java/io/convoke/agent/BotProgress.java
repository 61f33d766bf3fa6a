package io.convoke.agent;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What a bot has done since it was let in; sent with each heartbeat.
 *
 * @param audioSeconds of sound received from the meeting, silence included: it must grow as long as
 *     the connection to the meeting works. Empty: the bot receives no sound
 * @param participants in the meeting, the bot not counted
 * @param lastSpeechAt when it last heard a person speak
 */
public record BotProgress(
    Optional<Double> audioSeconds, Optional<Integer> participants, Optional<Instant> lastSpeechAt) {
  Map<String, Object> json() {
    Map<String, Object> json = new LinkedHashMap<>();
    audioSeconds.ifPresent(seconds -> json.put("audio_seconds", seconds));
    participants.ifPresent(number -> json.put("participants", number));
    lastSpeechAt.ifPresent(at -> json.put("last_speech_at", at.toString()));
    return json;
  }
}
