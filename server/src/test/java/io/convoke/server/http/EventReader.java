package io.convoke.server.http;

import io.convoke.engine.json.Json;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/** Reads an event stream on a thread of its own and hands the events out one by one. */
public final class EventReader implements AutoCloseable {

  /** One event. */
  public record Event(String id, String type, JsonNode data) {}

  private final LinkedBlockingQueue<Event> events = new LinkedBlockingQueue<>();
  private final LinkedBlockingQueue<String> comments = new LinkedBlockingQueue<>();
  private final CountDownLatch ended = new CountDownLatch(1);
  private final Stream<String> lines;

  EventReader(Stream<String> lines) {
    this.lines = lines;
    Thread _ = Thread.ofVirtual().start(this::read);
  }

  /** The next event; fails the test if none comes in time. */
  public Event next(Duration atMost) throws InterruptedException {
    return Optional.ofNullable(events.poll(atMost.toMillis(), TimeUnit.MILLISECONDS))
        .orElseThrow(() -> new AssertionError("no event came within " + atMost));
  }

  /** The next comment line; fails the test if none comes in time. */
  public String comment(Duration atMost) throws InterruptedException {
    return Optional.ofNullable(comments.poll(atMost.toMillis(), TimeUnit.MILLISECONDS))
        .orElseThrow(() -> new AssertionError("no comment came within " + atMost));
  }

  /** Whether an event is there already. */
  public boolean quiet() {
    return events.isEmpty();
  }

  /** Waits for the server to end the stream. */
  public boolean ends(Duration atMost) throws InterruptedException {
    return ended.await(atMost.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void read() {
    String[] current = {"", ""};
    try {
      lines.forEach(line -> line(line, current));
    } catch (UncheckedIOException _) {
      // The stream was cut; what came before it counts.
    } finally {
      ended.countDown();
    }
  }

  private void line(String line, String[] current) {
    if (line.startsWith("id: ")) {
      current[0] = line.substring(4);
    } else if (line.startsWith("event: ")) {
      current[1] = line.substring(7);
    } else if (line.startsWith("data: ")) {
      events.add(new Event(current[0], current[1], Json.read(line.substring(6))));
    } else if (line.startsWith(": ")) {
      comments.add(line.substring(2));
    }
  }

  @Override
  public void close() {
    lines.close();
  }
}
