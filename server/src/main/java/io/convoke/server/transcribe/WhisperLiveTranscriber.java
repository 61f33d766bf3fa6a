package io.convoke.server.transcribe;

import io.convoke.server.transcribe.JsonWebSocket.WebSocketEvent;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * WhisperLive over its WebSocket: a JSON text with the client's settings, {@code SERVER_READY}, the
 * audio as frames of 4096 float samples at 16 kHz, {@code END_OF_AUDIO}; the server sends the last
 * segments repeatedly.
 *
 * <p>The server throws away the oldest audio when more than 45 s wait there, so at most {@value
 * #AHEAD_SECONDS} s are sent ahead of its last segment, or of real time: silence produces no
 * segment.
 */
final class WhisperLiveTranscriber implements Transcriber {
  private static final int FRAME = 4096;
  private static final int AHEAD_SECONDS = 25;
  private static final Duration READY_MAX = Duration.ofSeconds(60);
  private static final Duration SEND_MAX = Duration.ofSeconds(30);
  private static final byte[] END = "END_OF_AUDIO".getBytes(StandardCharsets.US_ASCII);

  private final URI url;
  private final String model;
  private final Optional<String> language;
  private final Duration quiet;

  WhisperLiveTranscriber(URI url, String model, Optional<String> language) {
    this(url, model, language, Duration.ofSeconds(15));
  }

  /** {@code quiet} is how long a silent server counts as done, once all was sent. */
  WhisperLiveTranscriber(URI url, String model, Optional<String> language, Duration quiet) {
    this.url = url;
    this.model = model;
    this.language = language;
    this.quiet = quiet;
  }

  @Override
  public String name() {
    return "whisperlive";
  }

  @Override
  public TranscriptionResult transcribe(Path audio, TranscriptionListener transcriptionListener)
      throws IOException, InterruptedException {
    Optional<WavReader> sound = WavReader.open(audio);
    if (sound.isEmpty()) {
      return new TranscriptionResult.AudioRefused(
          "WhisperLive takes samples, and the audio is not a 16 bit WAV");
    }
    try (WavReader samples = sound.get();
        JsonWebSocket connection = JsonWebSocket.open(url)) {
      WhisperLiveSession whisperLiveSession =
          new WhisperLiveSession(connection, transcriptionListener, samples.seconds());
      whisperLiveSession.begin();
      whisperLiveSession.send(samples);
      whisperLiveSession.end();
      return new TranscriptionResult.AudioTranscribed(whisperLiveSession.segments.all());
    }
  }

  /** One file sent over one connection. */
  private final class WhisperLiveSession {
    private final String uid = UUID.randomUUID().toString();
    private final JsonWebSocket connection;
    private final TranscriptionListener transcriptionListener;
    private final double seconds;
    private final WhisperLiveSegments segments = new WhisperLiveSegments();
    private Optional<String> spoken = language;
    private boolean closed;

    private WhisperLiveSession(
        JsonWebSocket connection, TranscriptionListener transcriptionListener, double seconds) {
      this.connection = connection;
      this.transcriptionListener = transcriptionListener;
      this.seconds = seconds;
    }

    private void begin() throws IOException, InterruptedException {
      Map<String, @Nullable Object> hello = new HashMap<>();
      hello.put("uid", uid);
      hello.put("language", language.orElse(null));
      hello.put("task", "transcribe");
      hello.put("model", model);
      hello.put("use_vad", true);
      connection.send(hello);
      long deadline = System.nanoTime() + READY_MAX.toNanos();
      while (true) {
        JsonNode message = message(Duration.ofNanos(deadline - System.nanoTime()));
        if (message.path("message").asString("").equals("SERVER_READY")) {
          return;
        }
      }
    }

    private void send(WavReader samples) throws IOException, InterruptedException {
      long began = System.nanoTime();
      float[] block = new float[FRAME];
      long sent = 0;
      for (int count = samples.read(block); count > 0 && !closed; count = samples.read(block)) {
        double at = (double) sent / WavReader.RATE;
        while (!closed && at > allowed(began)) {
          take(Duration.ofMillis(Math.round((at - allowed(began)) * 1000) + 1));
        }
        ByteBuffer bytes = ByteBuffer.allocate(4 * count).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < count; i++) {
          bytes.putFloat(block[i]);
        }
        connection.send(bytes.flip(), SEND_MAX);
        sent += count;
        take(Duration.ZERO);
      }
      if (closed) {
        throw new IOException("WhisperLive ended the session before it had all of the audio");
      }
    }

    private double allowed(long began) {
      double passed = (System.nanoTime() - began) / 1e9;
      return Math.max(passed, segments.heardUntil()) + AHEAD_SECONDS;
    }

    private void end() throws IOException, InterruptedException {
      connection.send(ByteBuffer.wrap(END), SEND_MAX);
      boolean more = true;
      while (more && !closed) {
        more = take(quiet);
      }
      List<TranscriptSegment> last = segments.finish();
      if (!last.isEmpty()) {
        transcriptionListener.onSegments(last);
      }
      transcriptionListener.progress(1);
    }

    /** Takes one message if one comes in time; false when none came. */
    private boolean take(Duration atMost) throws IOException, InterruptedException {
      Optional<WebSocketEvent> event = connection.next(atMost);
      if (event.isEmpty()) {
        return false;
      }
      switch (event.get()) {
        case WebSocketEvent.WebSocketClosed _ -> closed = true;
        case WebSocketEvent.WebSocketMessage(JsonNode json) -> received(checked(json));
      }
      return true;
    }

    private void received(JsonNode json) throws InterruptedException {
      String code = json.path("language").asString("");
      if (!code.isEmpty()) {
        spoken = Optional.of(code);
      }
      List<TranscriptSegment> more = segments.take(json.path("segments"), spoken);
      if (!more.isEmpty()) {
        transcriptionListener.onSegments(more);
        transcriptionListener.progress(seconds > 0 ? Math.min(1, segments.end() / seconds) : 0);
      }
      if (json.path("message").asString("").equals("DISCONNECT")) {
        closed = true;
      }
    }

    private JsonNode message(Duration atMost) throws IOException, InterruptedException {
      return switch (connection.next(atMost).orElseThrow(() -> notReady("it does not begin"))) {
        case WebSocketEvent.WebSocketClosed(String why) -> throw notReady(why);
        case WebSocketEvent.WebSocketMessage(JsonNode json) -> checked(json);
      };
    }

    /** A server that is full, broken, or busy with another client may serve a retry. */
    private JsonNode checked(JsonNode json) throws IOException {
      if (!json.path("uid").asString(uid).equals(uid)) {
        throw notReady("it serves another client");
      }
      String status = json.path("status").asString("");
      if (status.equals("WAIT") || status.equals("ERROR")) {
        throw notReady(status + " " + SegmentParser.clean(json.path("message").asString(""), 200));
      }
      return json;
    }

    private IOException notReady(String why) {
      return new IOException("WhisperLive refused the session: " + why);
    }
  }
}
