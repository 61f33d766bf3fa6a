package io.convoke.fakes.janus;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * The sample event handler: posts what happened since its last post as one array of at most {@value
 * #GROUPED} events. A post that gets no answer is tried {@value #TRIES} times more with growing
 * pauses, and then dropped; after an answer of any status it is not tried again.
 */
public final class FakeJanusEvents implements AutoCloseable {
  private static final JsonMapper JSON = new JsonMapper();

  /** Source: {@code max_retransmissions} in the handler's configuration. */
  private static final int TRIES = 5;

  /** Source: {@code retransmissions_backoff} there. */
  private static final Duration BACKOFF = Duration.ofMillis(100);

  /** Source: {@code janus_sampleevh_handler} in the handler. */
  private static final int GROUPED = 100;

  private static final int PLUGIN_EVENT = 64;

  private final HttpClient client = HttpClient.newHttpClient();
  private final String credentials;
  private final List<ObjectNode> waiting = new ArrayList<>();
  private final Thread thread = Thread.ofVirtual().name("janus-events").unstarted(this::run);
  private @Nullable URI backend;
  private boolean losing;
  private boolean closed;
  private boolean posting;
  private long lastMicros;
  private int lost;

  FakeJanusEvents(String password) {
    this.credentials =
        "Basic "
            + Base64.getEncoder()
                .encodeToString(("convoke:" + password).getBytes(StandardCharsets.UTF_8));
    thread.start();
  }

  synchronized void to(URI address) {
    backend = address;
    notifyAll();
  }

  /** Drops every event from now on, as if each post had failed to the end. */
  public synchronized void lose(boolean all) {
    losing = all;
  }

  /** Events that were dropped, or refused. */
  public synchronized int lost() {
    return lost;
  }

  /** Waits until every event so far was delivered or dropped. */
  public synchronized void awaitQuiet(Duration atMost) throws TimeoutException {
    long end = System.nanoTime() + atMost.toNanos();
    try {
      while (posting || !waiting.isEmpty()) {
        long left = Duration.ofNanos(end - System.nanoTime()).toMillis();
        if (left <= 0) {
          throw new TimeoutException("events are still waiting: " + waiting);
        }
        wait(left);
      }
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  /** Queues an event of the plugin, if there is a backend; only some of them name the session. */
  synchronized void happened(ObjectNode data, boolean namesSession) {
    if (backend == null) {
      return;
    }
    if (losing) {
      lost++;
      return;
    }
    ObjectNode event = JSON.createObjectNode();
    event.put("emitter", "fake");
    event.put("type", PLUGIN_EVENT);
    lastMicros = Math.max(lastMicros + 1, ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()));
    event.put("timestamp", lastMicros);
    if (namesSession) {
      event.put("session_id", ThreadLocalRandom.current().nextLong(1, 1L << 52));
      event.put("handle_id", ThreadLocalRandom.current().nextLong(1, 1L << 52));
    }
    ObjectNode inner = event.putObject("event");
    inner.put("plugin", "janus.plugin.videoroom");
    inner.set("data", data);
    waiting.add(event);
    notifyAll();
  }

  @Override
  public synchronized void close() {
    closed = true;
    thread.interrupt();
    notifyAll();
  }

  private synchronized List<ObjectNode> next() throws InterruptedException {
    posting = false;
    notifyAll();
    while (!closed && waiting.isEmpty()) {
      wait();
    }
    List<ObjectNode> group = waiting.subList(0, Math.min(GROUPED, waiting.size()));
    List<ObjectNode> batch = List.copyOf(group);
    group.clear();
    posting = !batch.isEmpty();
    return batch;
  }

  private synchronized URI address() {
    return Objects.requireNonNull(backend);
  }

  private synchronized void dropped(int events) {
    lost += events;
  }

  private void run() {
    try {
      for (List<ObjectNode> batch = next(); !batch.isEmpty(); batch = next()) {
        if (!delivered(JSON.writeValueAsBytes(batch))) {
          dropped(batch.size());
        }
      }
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean delivered(byte[] body) throws InterruptedException {
    for (int attempt = 0; attempt <= TRIES; attempt++) {
      if (attempt > 0) {
        LockSupport.parkNanos(BACKOFF.multipliedBy(1L << (attempt - 1)).toNanos());
      }
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      try {
        HttpResponse<Void> response =
            client.send(
                HttpRequest.newBuilder(address())
                    .header("Authorization", credentials)
                    .header("Content-Type", "application/json")
                    .timeout(Duration.ofSeconds(10))
                    .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                    .build(),
                HttpResponse.BodyHandlers.discarding());
        return response.statusCode() / 100 == 2;
      } catch (IOException failed) {
        // Tried again below.
      }
    }
    return false;
  }
}
