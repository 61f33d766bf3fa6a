package io.convoke.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.convoke.client.ConvokeException.RequestRefused;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class EventStreamTest {
  private static final Duration ANSWER = Duration.ofSeconds(10);
  private static final Duration SILENCE = Duration.ofMillis(400);

  private static ApiTransport transport(ScriptedServer server) {
    return new ApiTransport(server.url(), Map.of("X-API-Key", "k"), ANSWER, RetrySettings.NONE);
  }

  private static List<Long> read(EventStream stream, int count) {
    List<Long> seqs = new ArrayList<>();
    while (seqs.size() < count) {
      seqs.add(stream.next().seq());
    }
    return seqs;
  }

  @Test
  void aBrokenStreamGoesOnAfterTheLastWholeEvent() throws Exception {
    CountDownLatch released = new CountDownLatch(1);
    AtomicBoolean refused = new AtomicBoolean();
    try (ScriptedServer server =
            new ScriptedServer(
                (_, request, out) -> {
                  switch (request.header("Last-Event-ID")) {
                    case "10" -> {
                      ScriptedServer.stream(out);
                      ScriptedServer.event(out, 11);
                      ScriptedServer.event(out, 12);
                      ScriptedServer.write(out, "id: 13\ndata: {\"seq\":13,\"ty");
                    }
                    case "12" -> {
                      if (refused.compareAndSet(false, true)) {
                        ScriptedServer.json(out, 503, "{\"code\":\"unavailable\"}");
                      } else {
                        ScriptedServer.stream(out);
                        ScriptedServer.write(out, ": alive\n\n");
                        ScriptedServer.event(out, 13);
                        released.await();
                      }
                    }
                    default -> {
                      ScriptedServer.stream(out);
                      ScriptedServer.event(out, 14);
                      released.await();
                    }
                  }
                });
        ApiTransport transport = transport(server);
        EventStream stream = new EventStream(transport, Map.of("type", "test"), 10, SILENCE)) {
      assertThat(read(stream, 3)).containsExactly(11L, 12L, 13L);
      // The answer with event 13 stays open and is silent.
      assertThat(read(stream, 1)).containsExactly(14L);
      assertThat(stream.position()).isEqualTo(14);
      assertThat(server.received().stream().map(it -> it.header("Last-Event-ID")).distinct())
          .containsExactly("10", "12", "13");
      assertThat(server.received()).allMatch(it -> it.target().equals("/events?type=test"));
    } finally {
      released.countDown();
    }
  }

  @Test
  void fromNowOnMeansFromTheCall() throws Exception {
    CountDownLatch released = new CountDownLatch(1);
    try (ScriptedServer server =
            new ScriptedServer(
                (number, _, out) -> {
                  if (number == 1) {
                    ScriptedServer.json(
                        out, 200, "{\"items\":[],\"next_cursor\":null,\"next_after\":77}");
                  } else {
                    ScriptedServer.stream(out);
                    ScriptedServer.event(out, 78);
                    released.await();
                  }
                });
        ConvokeClient client = ConvokeClient.builder(server.url()).apiKey("k").build();
        EventStream stream = client.events(Map.of())) {
      assertThat(read(stream, 1)).containsExactly(78L);
      assertThat(server.received().getLast().header("Last-Event-ID")).isEqualTo("77");
    } finally {
      released.countDown();
    }
  }

  @Test
  void aRefusalEndsTheStream() throws Exception {
    try (ScriptedServer server =
            new ScriptedServer(
                (_, _, out) -> ScriptedServer.json(out, 401, "{\"code\":\"unauthorized\"}"));
        ApiTransport transport = transport(server);
        EventStream stream = new EventStream(transport, Map.of(), 0, SILENCE)) {
      assertThat(catchThrowableOfType(RequestRefused.class, stream::hasNext).unauthorized())
          .isTrue();
      assertThat(server.received()).hasSize(1);
    }
  }

  @Test
  void whatIsNoStreamIsReadAgain() throws Exception {
    CountDownLatch released = new CountDownLatch(1);
    try (ScriptedServer server =
            new ScriptedServer(
                (number, _, out) -> {
                  if (number == 1) {
                    ScriptedServer.write(
                        out,
                        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n");
                    ScriptedServer.event(out, 9);
                  } else {
                    ScriptedServer.stream(out);
                    ScriptedServer.event(out, 1);
                  }
                  released.await();
                });
        ApiTransport transport = transport(server);
        EventStream stream = new EventStream(transport, Map.of(), 0, SILENCE)) {
      assertThat(read(stream, 1)).containsExactly(1L);
      assertThat(server.received().stream().map(it -> it.header("Last-Event-ID")))
          .containsExactly("0", "0");
    } finally {
      released.countDown();
    }
  }

  @Test
  void pausesGrowWhileStreamsEndAtOnce() throws Exception {
    List<Long> asked = new CopyOnWriteArrayList<>();
    CountDownLatch fifth = new CountDownLatch(5);
    try (ScriptedServer server =
            new ScriptedServer(
                (_, _, out) -> {
                  asked.add(System.nanoTime());
                  fifth.countDown();
                  ScriptedServer.stream(out);
                  ScriptedServer.write(out, ": alive\n\n");
                });
        ApiTransport transport = transport(server);
        EventStream stream = new EventStream(transport, Map.of(), 0, SILENCE)) {
      CompletableFuture<Boolean> waiting = CompletableFuture.supplyAsync(stream::hasNext);
      assertThat(fifth.await(20, TimeUnit.SECONDS)).isTrue();
      Runnable close = stream::close;
      close.run();
      assertThat(waiting.get(10, TimeUnit.SECONDS)).isFalse();
      // The fourth pause is a second at least, eight times the first.
      assertThat(Duration.ofNanos(asked.get(4) - asked.get(3)))
          .isGreaterThan(Duration.ofMillis(900));
    }
  }

  @Test
  void anAnswerThatBeginsAfterTheEndOfItsReaderIsCancelled() {
    AtomicBoolean cancelled = new AtomicBoolean();
    ServerSentLines lines = new ServerSentLines();
    lines.cancel();
    lines.onSubscribe(
        new Flow.Subscription() {
          @Override
          public void request(long n) {}

          @Override
          public void cancel() {
            cancelled.set(true);
          }
        });
    assertThat(cancelled).isTrue();
  }

  @Test
  void closingEndsTheWaiting() throws Exception {
    CountDownLatch released = new CountDownLatch(1);
    CountDownLatch opened = new CountDownLatch(1);
    try (ScriptedServer server =
            new ScriptedServer(
                (_, _, out) -> {
                  ScriptedServer.stream(out);
                  opened.countDown();
                  released.await();
                });
        ApiTransport transport = transport(server);
        EventStream stream = new EventStream(transport, Map.of(), 0, Duration.ofMinutes(10))) {
      CompletableFuture<Boolean> waiting = CompletableFuture.supplyAsync(stream::hasNext);
      assertThat(opened.await(10, TimeUnit.SECONDS)).isTrue();
      Runnable close = stream::close;
      close.run();
      assertThat(waiting.get(10, TimeUnit.SECONDS)).isFalse();
    } finally {
      released.countDown();
    }
  }
}
