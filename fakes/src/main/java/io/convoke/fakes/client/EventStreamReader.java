package io.convoke.fakes.client;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;

/**
 * Reads the event stream as a client should: after a broken connection it reconnects to the next
 * server with the last event id. Keeps every event in order of arrival.
 */
public final class EventStreamReader implements AutoCloseable {
  private static final Duration PAUSE = Duration.ofMillis(200);

  private final ApiClient caller;
  private final List<URI> servers;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition more = lock.newCondition();
  private final List<StreamedEvent> events = new ArrayList<>();
  private final Thread thread;
  private volatile boolean closed;
  private int connections;

  private EventStreamReader(ApiClient caller, List<URI> servers) {
    this.caller = caller;
    this.servers = List.copyOf(servers);
    this.thread = Thread.ofVirtual().name("event-reader").unstarted(this::run);
  }

  /** Starts with the first event. */
  public static EventStreamReader start(ApiClient caller, List<URI> servers) {
    EventStreamReader reader = new EventStreamReader(caller, servers);
    reader.thread.start();
    return reader;
  }

  public List<StreamedEvent> events() {
    lock.lock();
    try {
      return List.copyOf(events);
    } finally {
      lock.unlock();
    }
  }

  /** How often a connection was opened. */
  public int connections() {
    lock.lock();
    try {
      return connections;
    } finally {
      lock.unlock();
    }
  }

  /** Waits until an event with this sequence or a larger one has arrived; false after a timeout. */
  public boolean awaitSeq(long seq, Duration timeout) throws InterruptedException {
    long left = timeout.toNanos();
    lock.lock();
    try {
      while (lastSeq() < seq) {
        if (left <= 0) {
          return false;
        }
        left = more.awaitNanos(left);
      }
      return true;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    closed = true;
    thread.interrupt();
    try {
      boolean _ = thread.join(Duration.ofSeconds(2));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private long lastSeq() {
    return events.isEmpty() ? 0 : events.getLast().seq();
  }

  private void run() {
    for (int turn = 0; !closed; turn++) {
      try {
        follow(servers.get(turn % servers.size()));
      } catch (IOException | UncheckedIOException broken) {
        // The next iteration connects to the next server.
      } catch (InterruptedException stopping) {
        return;
      }
      LockSupport.parkNanos(PAUSE.toNanos());
    }
  }

  private void follow(URI server) throws IOException, InterruptedException {
    long after = resumeAfter();
    HttpRequest.Builder request =
        caller
            .at(server)
            .request("/events?after=0")
            .timeout(Duration.ofSeconds(TimeUnit.HOURS.toSeconds(1)))
            .header("Accept", "text/event-stream");
    // As a browser's EventSource, whose address stays the one with which it began.
    if (after > 0) {
      var _ = request.header("Last-Event-ID", Long.toString(after));
    }
    HttpResponse<Stream<String>> response =
        caller.client().send(request.build(), BodyHandlers.ofLines());
    try (Stream<String> lines = response.body()) {
      if (response.statusCode() == 200) {
        StringBuilder data = new StringBuilder();
        lines.forEach(line -> take(line, data));
      }
    }
  }

  private long resumeAfter() {
    lock.lock();
    try {
      connections++;
      return lastSeq();
    } finally {
      lock.unlock();
    }
  }

  private void take(String line, StringBuilder data) {
    if (line.startsWith("data:")) {
      data.append(line.substring("data:".length()).strip());
    } else if (line.isEmpty() && !data.isEmpty()) {
      StreamedEvent event = StreamedEvent.of(ApiClient.parse(data.toString()));
      data.setLength(0);
      lock.lock();
      try {
        events.add(event);
        more.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }
}
