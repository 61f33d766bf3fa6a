package io.convoke.server.transcribe;

import io.convoke.server.media.SpeechWav;
import io.convoke.server.transcribe.AudioPiece.PieceLimits;
import io.convoke.server.transcribe.JsonWebSocket.WebSocketEvent;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
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
 * segment. At {@code END_OF_AUDIO} it closes and drops what it has not transcribed, and it
 * transcribes no rest of less than a second: a little silence follows the audio, and the end is
 * sent once the server has been quiet. It ends a session after some minutes, so a long audio takes
 * several, each of which begins where the one before has heard the last whole segment.
 */
final class WhisperLiveTranscriber implements Transcriber {
  private static final int FRAME = 4096;
  private static final int AHEAD_SECONDS = 25;

  /** Frames of silence after the audio: two seconds. */
  private static final int SILENT_FRAMES = 2 * SpeechWav.RATE / FRAME + 1;

  /** A segment that ends so close to the end of a session's audio may be cut. */
  private static final double CUT_SECONDS = 5;

  /** A session that brings less has failed. */
  private static final double PROGRESS_MIN = 1;

  private static final PieceLimits PIECES = new PieceLimits(600, 15);
  private static final Duration READY_MAX = Duration.ofMinutes(1);
  private static final Duration SEND_MAX = Duration.ofSeconds(30);
  private static final Duration CLOSING_MAX = Duration.ofSeconds(1);
  private static final byte[] END = "END_OF_AUDIO".getBytes(StandardCharsets.US_ASCII);

  private final URI url;
  private final String model;
  private final Optional<String> language;
  private final WhisperLiveTimes times;

  /**
   * How long to wait for a server.
   *
   * @param quiet how long a server that sends nothing counts as done, once all was sent; its own
   *     client waits as long
   * @param session how long audio is sent in a session; less than the server's limit, of five
   *     minutes unless configured
   */
  record WhisperLiveTimes(Duration quiet, Duration session) {
    static final WhisperLiveTimes DEFAULT =
        new WhisperLiveTimes(Duration.ofSeconds(15), Duration.ofMinutes(4));
  }

  WhisperLiveTranscriber(URI url, String model, Optional<String> language, WhisperLiveTimes times) {
    this.url = url;
    this.model = model;
    this.language = language;
    this.times = times;
  }

  @Override
  public String name() {
    return "whisperlive";
  }

  @Override
  public String configuration() {
    return name() + " " + url + " " + model + " " + language.orElse("");
  }

  @Override
  public Optional<PieceLimits> limits() {
    return Optional.of(PIECES);
  }

  @Override
  public TranscriptionResult transcribe(Path audio, TranscriptionListener transcriptionListener)
      throws IOException, InterruptedException {
    Optional<SpeechWav> wav = SpeechWav.open(audio);
    if (wav.isEmpty()) {
      return new TranscriptionResult.AudioRefused(
          "WhisperLive takes samples, and the audio is no WAV of 16 kHz, mono, 16 bits");
    }
    List<TranscriptSegment> segments = new ArrayList<>();
    double at = 0;
    boolean whole = false;
    while (!whole) {
      try (WavReader samples = new WavReader(wav.get(), at);
          JsonWebSocket connection = JsonWebSocket.open(url)) {
        WhisperLiveSession session =
            new WhisperLiveSession(connection, transcriptionListener, at, wav.get().seconds());
        session.begin();
        whole = session.send(samples);
        double next = session.end(whole);
        segments.addAll(session.kept);
        whole = whole && !session.cut;
        if (!whole && next < at + PROGRESS_MIN) {
          throw new IOException("WhisperLive ended a session that had brought nothing");
        }
        at = next;
      }
    }
    transcriptionListener.progress(1);
    return new TranscriptionResult.AudioTranscribed(segments);
  }

  /** One connection, which takes the audio from a given second on. */
  private final class WhisperLiveSession {
    private final String uid = UUID.randomUUID().toString();
    private final JsonWebSocket connection;
    private final TranscriptionListener transcriptionListener;
    private final double beginning;
    private final double seconds;
    private final WhisperLiveSegments segments = new WhisperLiveSegments();

    /** Settled segments in times of the whole audio, without the last one: it may be dropped. */
    private final List<TranscriptSegment> kept = new ArrayList<>();

    private Optional<TranscriptSegment> last = Optional.empty();
    private Optional<String> spoken = language;
    private long sent;
    private boolean closed;

    /** Whether the server ended the session before the client did. */
    private boolean cut;

    private WhisperLiveSession(
        JsonWebSocket connection,
        TranscriptionListener transcriptionListener,
        double beginning,
        double seconds) {
      this.connection = connection;
      this.transcriptionListener = transcriptionListener;
      this.beginning = beginning;
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

    /** Sends audio until there is no more or the session must end; whether there is no more. */
    private boolean send(WavReader samples) throws IOException, InterruptedException {
      long began = System.nanoTime();
      float[] block = new float[FRAME];
      int count = samples.read(block);
      while (count > 0 && !closed && System.nanoTime() - began < times.session().toNanos()) {
        double at = sentSeconds();
        while (!closed && at > allowed(began)) {
          boolean _ = take(Duration.ofMillis(Math.round((at - allowed(began)) * 1000) + 1));
        }
        if (!closed) {
          frame(block, count);
          count = samples.read(block);
        }
      }
      return count == 0;
    }

    private void frame(float[] block, int count) throws IOException, InterruptedException {
      ByteBuffer bytes = ByteBuffer.allocate(4 * count).order(ByteOrder.LITTLE_ENDIAN);
      for (int i = 0; i < count; i++) {
        bytes.putFloat(block[i]);
      }
      try {
        connection.send(bytes.flip(), SEND_MAX);
        sent += count;
      } catch (IOException refused) {
        // The server may just have closed: what it said before still counts.
        while (!closed && take(CLOSING_MAX)) {}
        if (!closed) {
          throw refused;
        }
      }
      boolean _ = take(Duration.ZERO);
    }

    private double sentSeconds() {
      return (double) sent / SpeechWav.RATE;
    }

    private double allowed(long began) {
      double passed = (System.nanoTime() - began) / 1e9;
      return Math.max(passed, segments.heardUntil()) + AHEAD_SECONDS;
    }

    /** Waits for what is in flight; returns from which second on the next session goes on. */
    private double end(boolean whole) throws IOException, InterruptedException {
      double until = sentSeconds();
      for (int i = 0; i < SILENT_FRAMES && !closed; i++) {
        frame(new float[FRAME], FRAME);
      }
      Duration wait = times.quiet();
      boolean more = true;
      while (more && !closed) {
        // Far behind the audio it may be at work on a long part, or hear silence.
        boolean behind = segments.heardUntil() < until - CUT_SECONDS;
        more = take(behind ? wait.multipliedBy(2) : wait);
      }
      if (closed) {
        cut = true;
        deliverLast();
        return beginning + segments.end();
      }
      connection.send(ByteBuffer.wrap(END), SEND_MAX);
      settle(segments.finish());
      boolean cutInASegment = !whole && !kept.isEmpty() && segments.end() > until - CUT_SECONDS;
      double next = beginning + (cutInASegment ? last.orElseThrow().start() : until);
      if (!cutInASegment) {
        deliverLast();
      }
      return next;
    }

    /** Delivers settled segments except the last. */
    private void settle(List<TranscriptSegment> settled) throws InterruptedException {
      for (TranscriptSegment segment : settled) {
        deliverLast();
        last = Optional.of(segment);
      }
    }

    private void deliverLast() throws InterruptedException {
      if (last.isPresent()) {
        TranscriptSegment whole = last.get().shifted(beginning);
        kept.add(whole);
        last = Optional.empty();
        transcriptionListener.onSegments(List.of(whole));
        transcriptionListener.progress(seconds > 0 ? Math.min(1, whole.end() / seconds) : 0);
      }
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
      settle(segments.take(json.path("segments"), spoken));
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
