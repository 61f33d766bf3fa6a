package io.convoke.client;

import io.convoke.client.ConvokeException.LimitReached;
import io.convoke.client.ConvokeException.ServerFailed;
import io.convoke.client.types.EventView;
import java.io.IOException;
import java.time.Duration;
import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.JsonNode;

/**
 * Events as they happen, without an end and without a gap: when the connection breaks, a new one
 * goes on after the last event that was read. {@link #next} waits; {@link #close}, from any thread,
 * ends the waiting, after which {@link #hasNext} is false.
 *
 * <p>For one reading thread.
 */
public final class EventStream implements Iterator<EventView>, AutoCloseable {
  /** The server sends a comment at least every 15 s: without a line for so long it is gone. */
  private static final Duration SILENCE = Duration.ofSeconds(45);

  /** A connection that stood for so long has worked, whatever ends it: the next pause is short. */
  private static final Duration STEADY = Duration.ofSeconds(10);

  private static final RetrySettings RECONNECT =
      new RetrySettings(Integer.MAX_VALUE, Duration.ofMillis(250), Duration.ofSeconds(15));

  private final ApiTransport transport;
  private final Map<String, String> filter;
  private final Duration silence;
  private volatile ServerSentLines lines = new ServerSentLines();
  private final CountDownLatch closed = new CountDownLatch(1);
  private boolean connected;

  /** By {@link System#nanoTime}. */
  private long openedAt;

  /** Connections in a row that brought no event and did not stand for long. */
  private int failures;

  private long position;
  private Optional<EventView> ahead = Optional.empty();

  EventStream(ApiTransport transport, Map<String, String> filter, long position) {
    this(transport, filter, position, SILENCE);
  }

  EventStream(ApiTransport transport, Map<String, String> filter, long position, Duration silence) {
    this.transport = transport;
    this.filter = filter;
    this.position = position;
    this.silence = silence;
  }

  /** The number of the last event that was read; a stream that is opened after it misses none. */
  public long position() {
    return position;
  }

  /**
   * Waits for an event; false once the stream is closed.
   *
   * @throws ConvokeException for what no new connection mends: a wrong credential, a wrong filter
   */
  @Override
  public boolean hasNext() {
    while (ahead.isEmpty() && !closed()) {
      try {
        if (!connected) {
          connect();
        }
        ahead = read();
      } catch (IOException e) {
        again(Duration.ZERO);
      } catch (LimitReached e) {
        again(e.problem().retryAfter().orElse(Duration.ZERO));
      } catch (ServerFailed e) {
        again(e.problem().retryAfter().orElse(Duration.ZERO));
      }
    }
    return ahead.isPresent() && !closed();
  }

  @Override
  public EventView next() {
    if (!hasNext()) {
      throw new NoSuchElementException("the stream is closed");
    }
    EventView event = ahead.orElseThrow();
    ahead = Optional.empty();
    position = event.seq();
    return event;
  }

  private void connect() throws IOException {
    ServerSentLines fresh = new ServerSentLines();
    lines = fresh;
    transport.open(
        CallParts.repeatable("GET", "/events")
            .queries(filter)
            .header("Accept", "text/event-stream")
            .header("Last-Event-ID", position),
        fresh);
    openedAt = System.nanoTime();
    connected = true;
    if (closed()) {
      fresh.cancel();
    }
  }

  private boolean closed() {
    return closed.getCount() == 0;
  }

  /** The next event of this connection: the fields of an event end with an empty line. */
  private Optional<EventView> read() throws IOException {
    StringBuilder data = new StringBuilder();
    while (true) {
      String line = lines.next(silence);
      if (line.isEmpty() && !data.isEmpty()) {
        failures = 0;
        JsonNode tree = ApiJson.MAPPER.readTree(data.toString());
        return Optional.of(ApiJson.as(tree, EventView.class));
      }
      if (line.startsWith("data:")) {
        data.append(data.isEmpty() ? "" : "\n").append(line.substring(5).strip());
      }
    }
  }

  private void again(Duration asked) {
    boolean steady = connected && System.nanoTime() - openedAt >= STEADY.toNanos();
    connected = false;
    lines.cancel();
    if (closed()) {
      return;
    }
    failures = steady ? 1 : failures + 1;
    Duration wait = RECONNECT.wait(failures);
    try {
      boolean _ =
          closed.await(
              (asked.compareTo(wait) > 0 ? asked : wait).toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      throw ApiTransport.interrupted(e);
    }
    transport.requireOpen();
  }

  @Override
  public void close() {
    closed.countDown();
    lines.cancel();
  }
}
