package io.convoke.agent.meeting;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.convoke.agent.BotConfig;
import io.convoke.agent.RetryPolicy;
import io.convoke.agent.http.HttpClientFactory;
import io.convoke.agent.http.WholeAnswer;
import io.convoke.engine.json.Json;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * Uploads the parts of a bot's recording as WAV, in order, in the background, each until it is
 * taken. It ends with the last part, or when the control plane takes no more. When too much waits,
 * the recording ends with what waits.
 */
final class RecordingUpload {
  private static final Logger log = LoggerFactory.getLogger(RecordingUpload.class);
  private static final Duration CONNECT_MAX = Duration.ofSeconds(3);
  private static final Duration ANSWER_MAX = Duration.ofSeconds(30);

  /** Some hours of one person's sound. */
  private static final long WAITING_MAX = 1L << 30;

  private static final String IN_PROGRESS = "in_progress";
  private static final String LINE = "convoke-recording-part";

  private final BotConfig config;
  private final RetryPolicy retryPolicy;
  private final SoundSpool spool;
  private final HttpClient http = HttpClientFactory.create(CONNECT_MAX);
  private final LinkedBlockingQueue<WaitingPart> waiting = new LinkedBlockingQueue<>();
  private final Thread sender = Thread.ofVirtual().name("recording").unstarted(this::run);

  /** The number of the next part. */
  private int number;

  /** Where the last part ends, in samples. */
  private long until;

  /** Nothing more is taken. */
  private volatile boolean stopped;

  /** What waits is not sent either. */
  private volatile boolean refused;

  /** What is still to be sent; the last one ends the recording. */
  private record WaitingPart(
      int number,
      Optional<String> personId,
      long offset,
      long end,
      Optional<SoundSpool.SpoolEntry> sound) {
    boolean last() {
      return sound.isEmpty();
    }
  }

  /** Starts with the first part. */
  RecordingUpload(BotConfig config, RetryPolicy retryPolicy) throws IOException {
    this(config, retryPolicy, WAITING_MAX);
  }

  /** At most so many bytes of sound wait. */
  RecordingUpload(BotConfig config, RetryPolicy retryPolicy, long waitingMax) throws IOException {
    this.config = config;
    this.retryPolicy = retryPolicy;
    this.spool = new SoundSpool(waitingMax);
    sender.start();
  }

  /** Has a part sent. */
  synchronized void add(RecordedPart part) {
    if (stopped) {
      return;
    }
    try {
      waiting.add(
          new WaitingPart(
              number,
              part.personId(),
              part.offset(),
              part.end(),
              Optional.of(spool.add(part.pcm()))));
      number++;
      until = Math.max(until, part.end());
    } catch (IOException full) {
      stop("the recording ends here: " + full.getMessage());
    }
  }

  /** Has the end sent behind all parts. */
  synchronized void end(long samples) {
    long end = stopped ? until : samples;
    waiting.add(new WaitingPart(number, Optional.empty(), end, end, Optional.empty()));
  }

  /**
   * Waits for the end to be sent; returns whether all was taken. What was not is still sent for as
   * long as the process runs.
   */
  boolean await(Duration atMost) throws InterruptedException {
    return sender.join(atMost) && !refused;
  }

  /** Whether nothing more is taken. */
  boolean stopped() {
    return stopped;
  }

  private void stop(String why) {
    if (!stopped) {
      log.warn("{}", why);
    }
    stopped = true;
  }

  private void refuse(String why) {
    refused = true;
    stop(why);
  }

  private void run() {
    try {
      while (true) {
        WaitingPart part = waiting.take();
        byte[] wav =
            part.sound().isPresent()
                ? SpeechSound.wav(spool.read(part.sound().get()))
                : new byte[0];
        if (!sent(part, wav) || part.last()) {
          return;
        }
        spool.done();
      }
    } catch (IOException failed) {
      refuse("the recording ends here: " + failed.getMessage());
    } catch (InterruptedException e) {
      log.trace("no more parts");
    } finally {
      close();
    }
  }

  private void close() {
    http.shutdownNow();
    try {
      spool.close();
    } catch (IOException e) {
      log.debug("the spool was not closed", e);
    }
  }

  /** Repeats a part until it is taken; false if nothing more is. */
  private boolean sent(WaitingPart part, byte[] wav) throws InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(config.callbackUrl() + "/bots/internal/recordings"))
            .header("Authorization", "Bearer " + config.token())
            .header("Content-Type", "multipart/form-data; boundary=" + LINE)
            .POST(HttpRequest.BodyPublishers.ofByteArray(body(part, wav)))
            .build();
    for (int failures = 1; ; failures++) {
      try {
        HttpResponse<byte[]> answer =
            WholeAnswer.of(http, request, HttpResponse.BodyHandlers.ofByteArray(), ANSWER_MAX);
        switch (answer.statusCode()) {
          case 200 -> {
            String status = status(answer.body());
            if (!part.last() && !status.equals(IN_PROGRESS)) {
              refuse("the recording is " + status + " and takes no more");
            }
            return !refused;
          }
          case 408, 425, 429, 500, 502, 503, 504 ->
              log.debug("a part of the recording is answered {}", answer.statusCode());
          default -> {
            refuse("the recording is refused with " + answer.statusCode());
            return false;
          }
        }
      } catch (IOException unreachable) {
        log.debug("a part of the recording was not sent: {}", unreachable.toString());
      }
      TimeUnit.MILLISECONDS.sleep(retryPolicy.pause(failures).toMillis());
    }
  }

  private static String status(byte[] body) {
    try {
      return Json.read(body, JsonNode.class).path("status").asString(IN_PROGRESS);
    } catch (JacksonException unreadable) {
      return IN_PROGRESS;
    }
  }

  private byte[] body(WaitingPart part, byte[] wav) {
    Map<String, Object> metadata = new LinkedHashMap<>();
    metadata.put("meeting_id", config.meetingId());
    metadata.put("session_uid", config.connectionId());
    metadata.put("chunk_seq", part.number());
    metadata.put("is_final", part.last());
    metadata.put("format", "wav");
    metadata.put("duration_seconds", seconds(part.end()));
    part.personId()
        .ifPresent(
            id -> {
              metadata.put("participant_id", id);
              metadata.put("offset_seconds", seconds(part.offset()));
            });
    String head =
        """
        --%s
        Content-Disposition: form-data; name="metadata"
        Content-Type: application/json

        %s
        --%s
        Content-Disposition: form-data; name="file"; filename="part.wav"
        Content-Type: audio/wav

        """
            .formatted(LINE, Json.write(metadata), LINE)
            .replace("\n", "\r\n");
    ByteArrayOutputStream body = new ByteArrayOutputStream(wav.length + 1024);
    body.writeBytes(head.getBytes(UTF_8));
    body.writeBytes(wav);
    body.writeBytes(("\r\n--" + LINE + "--\r\n").getBytes(UTF_8));
    return body.toByteArray();
  }

  private static double seconds(long samples) {
    return samples / (double) SpeechSound.RATE;
  }
}
