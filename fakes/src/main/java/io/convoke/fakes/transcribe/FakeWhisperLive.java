package io.convoke.fakes.transcribe;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * WhisperLive's protocol: the client's settings, {@code SERVER_READY}, float samples at 16 kHz,
 * {@code END_OF_AUDIO}. It transcribes at its own pace behind the samples: a line is there when its
 * end was processed and at least a second of audio follows the line before. It repeats the last
 * segments, the newest as not completed. When more than 45 s wait it drops the oldest 30 s. At
 * {@code END_OF_AUDIO} it closes at once, and what it has not transcribed is lost. A frame after
 * the longest session gets {@code DISCONNECT}.
 */
public final class FakeWhisperLive implements AutoCloseable {
  private static final JsonMapper JSON = new JsonMapper();
  private static final int RATE = 16_000;
  private static final int SHOWN = 10;
  private static final double BUFFER_SECONDS = 45;
  private static final double DROPPED_SECONDS = 30;

  /** The shortest audio that is transcribed. */
  private static final double CHUNK_SECONDS = 1;

  private static final Duration TURN = Duration.ofMillis(20);
  private static final int REPEATS = 10;

  private final ServerSocket server;
  private final List<TranscriptLine> said;
  private final WhisperLivePace pace;
  private final List<String> complaints = new CopyOnWriteArrayList<>();
  private final AtomicInteger sessions = new AtomicInteger();
  private volatile double secondsHeard;
  private volatile boolean full;

  /**
   * How fast a server is.
   *
   * @param speed seconds of audio that it transcribes in a second
   * @param longest a frame that comes later than that after the beginning ends the session
   * @param audioTellsTime each sample is the number of its second in 1/32768; the lines of a
   *     session are those from its first sample on. Otherwise each session begins at the first line
   */
  public record WhisperLivePace(double speed, Duration longest, boolean audioTellsTime) {
    /** A thousand times as fast as speech, with the original's default of five minutes. */
    public static final WhisperLivePace FAST =
        new WhisperLivePace(1000, Duration.ofMinutes(5), false);
  }

  /** Starts a fast server that returns these lines in every session. */
  public FakeWhisperLive(List<TranscriptLine> said) {
    this(said, WhisperLivePace.FAST);
  }

  /** Starts a server with these lines and this pace. */
  public FakeWhisperLive(List<TranscriptLine> said, WhisperLivePace pace) {
    this.said = List.copyOf(said);
    this.pace = pace;
    try {
      server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    var _ = Thread.ofVirtual().name("whisperlive").start(this::accept);
  }

  public URI url() {
    return URI.create("ws://127.0.0.1:" + server.getLocalPort());
  }

  /** How many sessions have begun. */
  public int sessions() {
    return sessions.get();
  }

  /** Violations of the protocol by clients. */
  public List<String> complaints() {
    return List.copyOf(complaints);
  }

  /** The audio of the last session. */
  public double secondsHeard() {
    return secondsHeard;
  }

  /** Answers every further client with WAIT. */
  public void full(boolean now) {
    full = now;
  }

  @Override
  public void close() {
    try {
      server.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void accept() {
    try {
      while (true) {
        Socket socket = server.accept();
        var _ = Thread.ofVirtual().start(() -> serve(socket));
      }
    } catch (IOException closed) {
      // The end.
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      WebSocketServerFrames webSocketServerFrames = new WebSocketServerFrames(socket);
      webSocketServerFrames.shakeHands();
      new FakeWhisperLiveSession(webSocketServerFrames).run();
    } catch (IOException gone) {
      // The client is free to go.
    }
  }

  private final class FakeWhisperLiveSession {
    private final WebSocketServerFrames webSocketServerFrames;
    private final List<TranscriptLine> heard = new ArrayList<>();
    private final long began = System.nanoTime();
    private String uid = "";
    private double seconds;
    private double processed;

    /** Where in the whole audio the session begins. */
    private double beginning = Double.NaN;

    private float firstSample;
    private int same;
    private int repeated;
    private boolean over;

    private FakeWhisperLiveSession(WebSocketServerFrames webSocketServerFrames) {
      this.webSocketServerFrames = webSocketServerFrames;
    }

    private void run() throws IOException {
      if (!begin(webSocketServerFrames.next())) {
        webSocketServerFrames.close();
        return;
      }
      int _ = sessions.incrementAndGet();
      Thread transcribing = Thread.ofVirtual().name("whisperlive-speech").start(this::transcribe);
      try {
        receive();
      } finally {
        end();
        transcribing.interrupt();
      }
    }

    private void receive() throws IOException {
      for (WebSocketServerFrames.WebSocketMessage webSocketMessage = webSocketServerFrames.next();
          webSocketMessage.kind() == WebSocketServerFrames.WebSocketMessageKind.BINARY;
          webSocketMessage = webSocketServerFrames.next()) {
        if (new String(webSocketMessage.bytes(), StandardCharsets.US_ASCII)
            .equals("END_OF_AUDIO")) {
          end();
          webSocketServerFrames.close();
          return;
        }
        listen(webSocketMessage.bytes());
        if (System.nanoTime() - began > pace.longest().toNanos()) {
          end();
          tell("message", "DISCONNECT");
          webSocketServerFrames.close();
          return;
        }
      }
      complaints.add("the session ended without END_OF_AUDIO");
    }

    private boolean begin(WebSocketServerFrames.WebSocketMessage first) throws IOException {
      JsonNode hello;
      try {
        hello = JSON.readTree(first.text());
      } catch (JacksonException e) {
        complaints.add("the first message is not JSON");
        return false;
      }
      uid = hello.path("uid").asString("");
      boolean whole =
          first.kind() == WebSocketServerFrames.WebSocketMessageKind.TEXT
              && !uid.isEmpty()
              && hello.path("task").asString("").equals("transcribe")
              && hello.has("language")
              && hello.path("model").isString();
      if (!whole) {
        complaints.add("the first message must have uid, language, task and model");
        return false;
      }
      if (full) {
        tell("status", "WAIT", "message", 12.5);
        return false;
      }
      tell("message", "SERVER_READY", "backend", "faster_whisper");
      tell("language", "en", "language_prob", 0.98);
      return true;
    }

    private synchronized void end() {
      over = true;
    }

    private synchronized void listen(byte[] bytes) {
      if (bytes.length % 4 != 0) {
        complaints.add("samples are four bytes each");
      }
      ByteBuffer samples = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
      while (samples.remaining() >= 4) {
        float sample = samples.getFloat();
        if (Double.isNaN(beginning)) {
          findBeginning(sample);
        }
        if (!(sample >= -1 && sample <= 1)) {
          complaints.add("a sample of " + sample);
          return;
        }
      }
      if (seconds - processed > BUFFER_SECONDS) {
        complaints.add("audio was sent too far ahead at " + seconds);
        processed += DROPPED_SECONDS;
      }
      seconds += bytes.length / 4.0 / RATE;
      secondsHeard = seconds;
      repeated = 0;
    }

    /** The time of the first sample: its second, and how soon the next second begins. */
    private void findBeginning(float sample) {
      if (same == 0) {
        firstSample = sample;
      }
      double second = Math.round(firstSample * 32_768);
      if (!pace.audioTellsTime()) {
        beginning = 0;
      } else if (sample != firstSample) {
        beginning = second + 1 - (double) same / RATE;
      } else if (same == RATE) {
        beginning = second;
      }
      same++;
    }

    private void transcribe() {
      long before = System.nanoTime();
      CountDownLatch never = new CountDownLatch(1);
      try {
        while (!never.await(TURN.toNanos(), TimeUnit.NANOSECONDS)) {
          long now = System.nanoTime();
          if (!turn((now - before) / 1e9 * pace.speed())) {
            return;
          }
          before = now;
        }
      } catch (IOException gone) {
        // The client has closed.
      } catch (InterruptedException ended) {
        Thread.currentThread().interrupt();
      }
    }

    /** Processes so many seconds more; false when the session is over. */
    private synchronized boolean turn(double more) throws IOException {
      if (over) {
        return false;
      }
      if (Double.isNaN(beginning)) {
        return true;
      }
      double until = Math.min(seconds, processed + more);
      boolean news = false;
      for (TranscriptLine line : said) {
        double start = line.start() - beginning;
        double end = start + line.end() - line.start();
        double last = heard.isEmpty() ? 0 : heard.getLast().end();
        boolean whole = start >= -0.001 && end > processed - CHUNK_SECONDS && end <= until;
        TranscriptLine now = new TranscriptLine(start, end, line.text(), line.speaker());
        if (whole
            && !heard.contains(now)
            && seconds - last >= CHUNK_SECONDS
            && start >= last - 0.001) {
          heard.add(now);
          news = true;
        }
      }
      processed = until;
      repeated = news ? 0 : repeated + 1;
      if (!heard.isEmpty() && (news || repeated <= REPEATS)) {
        show(repeated == REPEATS);
      }
      return true;
    }

    private void show(boolean all) throws IOException {
      List<Map<String, Object>> segments = new ArrayList<>();
      for (TranscriptLine line : heard.subList(Math.max(0, heard.size() - SHOWN), heard.size())) {
        boolean newest = line.equals(heard.getLast());
        segments.add(
            Map.of(
                "start",
                time(line.start()),
                "end",
                time(line.end()),
                "text",
                " " + line.text(),
                "completed",
                all || !newest));
      }
      tell("segments", segments);
    }

    private void tell(Object... members) throws IOException {
      Map<String, Object> message = new LinkedHashMap<>();
      message.put("uid", uid);
      for (int i = 0; i < members.length; i += 2) {
        message.put(members[i].toString(), members[i + 1]);
      }
      webSocketServerFrames.send(JSON.writeValueAsBytes(message));
    }
  }

  private static String time(double seconds) {
    return String.format(Locale.ROOT, "%.3f", seconds);
  }
}
