package io.convoke.simulator.webhook;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * One event as it goes over the wire.
 *
 * @param id the same for every copy and attempt
 * @param label a name that is the same in every run of the same script
 */
public record WebhookEvent(
    String id,
    String type,
    String room,
    String label,
    Optional<String> sessionId,
    Instant eventAt,
    Map<String, Object> payload) {

  private static final String VERSION = "1.1.0";

  /** The body's JSON object. */
  Map<String, Object> body() {
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("version", VERSION);
    body.put("type", type);
    body.put("id", id);
    body.put("payload", payload);
    body.put("event_ts", seconds(eventAt));
    return body;
  }

  /** Seconds since the epoch with a fraction of milliseconds, as Daily writes event times. */
  static double seconds(Instant instant) {
    return instant.toEpochMilli() / 1000.0;
  }
}
