package io.convoke.agent.room;

import io.convoke.agent.http.StallTimeoutStream;
import io.convoke.agent.http.WholeAnswer;
import io.convoke.engine.json.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;

/**
 * Reads the event stream of a room. A stream that breaks or falls silent is opened again from where
 * it broke; a platform that stays away longer than the bot is patient ends the feed with {@link
 * RoomEvent#PLATFORM_GONE}.
 */
public final class RoomFeed implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(RoomFeed.class);
  private static final int WAITING_MAX = 10_000;
  private static final long RETRY_MS = 500;

  /** The platform sends a line at least each second: without one for so long it is gone. */
  private static final Duration SILENCE_MAX = Duration.ofSeconds(5);

  private final HttpClient http;
  private final URI events;
  private final Duration patience;
  private final Duration silenceMax;
  private final LinkedBlockingQueue<RoomEvent> queue = new LinkedBlockingQueue<>(WAITING_MAX);
  private final CountDownLatch closing = new CountDownLatch(1);
  private final Thread reader;
  private String lastId = "";
  private long lastContact = System.nanoTime();

  /** Starts reading; the platform may stay silent for up to {@code patience}. */
  public RoomFeed(HttpClient http, URI events, Duration patience) {
    this(http, events, patience, SILENCE_MAX);
  }

  /** {@code silenceMax} bounds the wait for the answer, and then for each line. */
  RoomFeed(HttpClient http, URI events, Duration patience, Duration silenceMax) {
    this.http = http;
    this.events = events;
    this.patience = patience;
    this.silenceMax = silenceMax;
    this.reader = Thread.ofVirtual().name("room").start(this::run);
  }

  /** The next event, or nothing within the given time. */
  public Optional<RoomEvent> next(Duration atMost) throws InterruptedException {
    return Optional.ofNullable(queue.poll(Math.max(0, atMost.toMillis()), TimeUnit.MILLISECONDS));
  }

  /** Ends a wait for the next event, with {@link RoomEvent#WOKEN}. */
  public void wake() {
    boolean _ = queue.offer(made(RoomEvent.WOKEN));
  }

  @Override
  public void close() {
    closing.countDown();
    reader.interrupt();
  }

  private void run() {
    try {
      while (true) {
        try {
          if (!read()) {
            return;
          }
        } catch (IOException e) {
          log.debug("the room's stream broke: {}", e.toString());
        }
        if (System.nanoTime() - lastContact > patience.toNanos()) {
          queue.put(made(RoomEvent.PLATFORM_GONE));
          return;
        }
        if (closing.await(RETRY_MS, TimeUnit.MILLISECONDS)) {
          return;
        }
      }
    } catch (InterruptedException e) {
      log.trace("the feed was closed");
    }
  }

  /** Reads one stream to its end; false if there is nothing more to read. */
  private boolean read() throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(events).header("Accept", "text/event-stream");
    if (!lastId.isEmpty()) {
      request.header("Last-Event-ID", lastId);
    }
    HttpResponse<InputStream> response = WholeAnswer.begun(http, request.build(), silenceMax);
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(
                new StallTimeoutStream(response.body(), silenceMax), StandardCharsets.UTF_8))) {
      if (response.statusCode() == 404) {
        queue.put(made(RoomEvent.SESSION_GONE));
        return false;
      }
      if (response.statusCode() == 200) {
        events(lines);
      }
      return true;
    }
  }

  private void events(BufferedReader lines) throws IOException, InterruptedException {
    String name = "message";
    StringBuilder data = new StringBuilder();
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      lastContact = System.nanoTime();
      if (line.startsWith("id:")) {
        lastId = line.substring(3).strip();
      } else if (line.startsWith("event:")) {
        name = line.substring(6).strip();
      } else if (line.startsWith("data:")) {
        data.append(line.substring(5).strip());
      } else if (line.isEmpty() && !data.isEmpty()) {
        emit(name, data.toString());
        name = "message";
        data.setLength(0);
      }
    }
  }

  private void emit(String name, String data) throws InterruptedException {
    try {
      queue.put(new RoomEvent(name, Json.read(data)));
    } catch (JacksonException e) {
      log.warn("an event of the room is not JSON: {}", name);
    }
  }

  private static RoomEvent made(String name) {
    return new RoomEvent(name, Json.tree(Map.of()));
  }
}
