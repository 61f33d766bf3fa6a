package io.convoke.bench.webhooks;

import io.convoke.bench.load.HttpRequestBytes;
import io.convoke.simulator.webhook.WebhookSignature;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.stream.IntStream;

/**
 * Signed {@code participant.joined} events as Daily sends them, one after the other for each of the
 * rooms. Every event has an id and a session of its own, so that no handler can save work by
 * deduplication.
 */
final class SignedEvents {
  static final String PATH = "/webhooks/daily";

  private final List<String> rooms;
  private final String secret;

  SignedEvents(List<String> rooms, String secret) {
    this.rooms = List.copyOf(rooms);
    this.secret = secret;
  }

  /** New requests for the server at this address. */
  HttpRequestBytes build(int number, URI server) {
    Instant now = Instant.now();
    String timestamp = Long.toString(now.getEpochSecond());
    double seconds = now.toEpochMilli() / 1000.0;
    return new HttpRequestBytes(
        IntStream.range(0, number)
            .parallel()
            .mapToObj(
                i -> request(server, body(rooms.get(i % rooms.size()), i, seconds), timestamp))
            .toArray(byte[][]::new));
  }

  private byte[] request(URI server, byte[] body, String timestamp) {
    return HttpRequestBytes.post(
        server,
        PATH,
        body,
        "X-Webhook-Timestamp: " + timestamp,
        "X-Webhook-Signature: " + WebhookSignature.sign(secret, timestamp, body));
  }

  private static byte[] body(String room, int number, double seconds) {
    return String.format(
            Locale.ROOT,
            """
            {"version":"1.1.0","type":"participant.joined","id":"%s","payload":{"joined_at":%.3f,\
            "session_id":"%s","room":"%s","user_id":"person-%d","user_name":"Person %d",\
            "owner":false,"networkQualityState":"unknown","will_eject_at":null,\
            "permissions":{"hasPresence":true,"canSend":true,"canReceive":{"base":true},\
            "canAdmin":false}},"event_ts":%.3f}\
            """,
            UUID.randomUUID(),
            seconds,
            UUID.randomUUID(),
            room,
            number,
            number,
            seconds)
        .getBytes(StandardCharsets.UTF_8);
  }
}
