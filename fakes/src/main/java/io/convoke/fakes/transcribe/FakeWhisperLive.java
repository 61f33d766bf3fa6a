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
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * WhisperLive's protocol: the client's settings, {@code SERVER_READY}, float samples at 16 kHz,
 * {@code END_OF_AUDIO}. It returns a prepared line once the samples pass the line's end, repeats
 * the last few segments in every message, the newest as not completed, and drops audio when more
 * than 45 s are buffered: the lines in it are never returned. It processes audio no faster than
 * configured.
 */
public final class FakeWhisperLive implements AutoCloseable {
  private static final JsonMapper JSON = new JsonMapper();
  private static final int RATE = 16_000;
  private static final int SHOWN = 4;
  private static final double BUFFER_SECONDS = 45;

  private final ServerSocket server;
  private final List<TranscriptLine> said;
  private final List<String> complaints = new CopyOnWriteArrayList<>();
  private volatile double secondsHeard;
  private volatile boolean full;

  /** Starts a server that returns these lines in every session. */
  public FakeWhisperLive(List<TranscriptLine> said) {
    this.said = List.copyOf(said);
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
    private String uid = "";
    private double seconds;

    private FakeWhisperLiveSession(WebSocketServerFrames webSocketServerFrames) {
      this.webSocketServerFrames = webSocketServerFrames;
    }

    private void run() throws IOException {
      if (!begin(webSocketServerFrames.next())) {
        webSocketServerFrames.close();
        return;
      }
      for (WebSocketServerFrames.WebSocketMessage webSocketMessage = webSocketServerFrames.next();
          webSocketMessage.kind() == WebSocketServerFrames.WebSocketMessageKind.BINARY;
          webSocketMessage = webSocketServerFrames.next()) {
        if (new String(webSocketMessage.bytes(), StandardCharsets.US_ASCII)
            .equals("END_OF_AUDIO")) {
          secondsHeard = seconds;
          webSocketServerFrames.close();
          return;
        }
        listen(webSocketMessage.bytes());
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

    private void listen(byte[] bytes) throws IOException {
      if (bytes.length % 4 != 0) {
        complaints.add("samples are four bytes each");
      }
      ByteBuffer samples = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
      while (samples.remaining() >= 4) {
        float sample = samples.getFloat();
        if (!(sample >= -1 && sample <= 1)) {
          complaints.add("a sample of " + sample);
          return;
        }
      }
      double waiting = seconds - (heard.isEmpty() ? 0 : heard.getLast().end());
      seconds += bytes.length / 4.0 / RATE;
      boolean news = false;
      for (TranscriptLine line : said) {
        if (line.end() <= seconds && !heard.contains(line)) {
          if (waiting > BUFFER_SECONDS) {
            complaints.add("audio was sent too far ahead: " + line.text());
          }
          heard.add(line);
          news = true;
        }
      }
      if (news) {
        show();
      }
    }

    private void show() throws IOException {
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
                !newest));
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
