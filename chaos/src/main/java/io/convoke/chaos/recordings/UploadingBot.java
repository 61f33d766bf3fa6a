package io.convoke.chaos.recordings;

import io.convoke.chaos.ReportingBot;
import io.convoke.fakes.client.ApiClient;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * A bot that uploads what it records, part by part while there are faults, some parts twice and one
 * behind the next; its program only waits. The last part comes when the run says so, or never.
 */
final class UploadingBot {
  private static final String PLATFORM = "google_meet";

  /** Of a part without an answer; it is sent again. */
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  private static final Duration BETWEEN = Duration.ofMillis(700);

  /** Is uploaded behind the part after it, as by a bot that keeps what an upload lost for later. */
  private static final int LATE = 1;

  /** Every other part is sent again after it was accepted. */
  private static final int TWICE_EACH = 2;

  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private final ReportingBot bot;
  private final URI uploads;
  private final String room;
  private final String label;
  private final List<byte[]> parts;

  UploadingBot(ReportingBot bot, URI server, String room, String label) {
    this.bot = bot;
    this.uploads = server.resolve("/bots/internal/recordings");
    this.room = room;
    this.label = label;
    this.parts = SpokenAudio.parts(label);
  }

  /** Comes to a meeting of this user; returns its id. */
  long join(ApiClient user) {
    bot.join(user, Map.of("platform", PLATFORM, "native_meeting_id", room));
    return bot.meeting();
  }

  /** Its recording. */
  String id() {
    return "bot-" + bot.connectionId();
  }

  /** The label of its recording. */
  String label() {
    return label;
  }

  /** Uploads all parts but the last. */
  void record() {
    for (int turn = 0; turn < parts.size() - 1; turn++) {
      int number = turn == LATE ? LATE + 1 : turn == LATE + 1 ? LATE : turn;
      for (int times = number % TWICE_EACH; times < TWICE_EACH; times++) {
        upload(number);
      }
      LockSupport.parkNanos(BETWEEN.toNanos());
    }
  }

  /** Uploads the last part, once {@link #record} has returned, and leaves. */
  void finish() {
    upload(parts.size() - 1);
    bot.exit(0);
  }

  /** Reports a person, uploads the first part and leaves before there is another one. */
  void breakOff() {
    Map<String, String> person =
        Map.of(
            "id",
            label,
            "type",
            "joined",
            "session_id",
            label,
            "user_name",
            "Dan",
            "at",
            Instant.now().toString());
    bot.call("participants", Map.of("events", List.of(person)));
    upload(0);
    bot.exit(0);
  }

  private void upload(int number) {
    HttpRequest request =
        HttpRequest.newBuilder(uploads)
            .timeout(TIMEOUT)
            .header("Authorization", "Bearer " + bot.token())
            .header("Content-Type", "multipart/form-data; boundary=part")
            .POST(BodyPublishers.ofByteArray(body(number)))
            .build();
    ReportingBot.untilAnswered(
        () -> {
          try {
            return HTTP.send(request, BodyHandlers.discarding()).statusCode();
          } catch (IOException unanswered) {
            return 0;
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return 0;
          }
        });
  }

  private byte[] body(int number) {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    body.writeBytes(
        """
        --part
        Content-Disposition: form-data; name="metadata"
        Content-Type: application/json

        {"session_uid": "%s", "chunk_seq": %d, "is_final": %s, "duration_seconds": 2}
        --part
        Content-Disposition: form-data; name="file"; filename="recording.wav"

        """
            .formatted(bot.connectionId(), number, number == parts.size() - 1)
            .replace("\n", "\r\n")
            .getBytes(StandardCharsets.US_ASCII));
    body.writeBytes(parts.get(number));
    body.writeBytes("\r\n--part--\r\n".getBytes(StandardCharsets.US_ASCII));
    return body.toByteArray();
  }
}
