package io.convoke.server.bots;

import io.convoke.engine.json.Json;
import java.time.Instant;
import java.util.Optional;

/**
 * What a bot has done since it was let in, as it reports with a heartbeat.
 *
 * @param audioSeconds of sound received from the meeting, silence included: it grows as long as the
 *     connection to the meeting works
 * @param participants in the meeting, the bot not counted
 * @param lastSpeechAt when it last heard a person speak
 */
record HeartbeatProgress(
    Optional<Double> audioSeconds, Optional<Integer> participants, Optional<Instant> lastSpeechAt) {
  String json() {
    return Json.write(this);
  }
}
