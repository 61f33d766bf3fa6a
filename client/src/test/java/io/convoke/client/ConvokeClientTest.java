package io.convoke.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.convoke.client.ConvokeException.LimitReached;
import io.convoke.client.ConvokeException.NoAnswer;
import io.convoke.client.ConvokeException.RequestRefused;
import io.convoke.client.ConvokeException.ServerFailed;
import java.time.Duration;
import java.time.Instant;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class ConvokeClientTest {
  private static final RetrySettings QUICK =
      new RetrySettings(4, Duration.ofMillis(1), Duration.ofSeconds(5));
  private static final String MEETING =
      """
      {"id":%d,"user_id":7,"platform":"daily","platform_specific_id":"stand-up","status":"active",
       "num_clients":2,"tracked":false,"data":{},"created_at":"2026-03-02T09:00:00.000Z",
       "updated_at":"2026-03-02T09:00:00.000Z","of_a_later_release":1}
      """;
  private static final String PROBLEM =
      "{\"status\":%d,\"code\":\"%s\",\"detail\":\"Said.\",\"trace_id\":\"abc\"}";

  private static ConvokeClient client(ScriptedServer server) {
    return client(server, QUICK, Duration.ofSeconds(30));
  }

  private static ConvokeClient client(
      ScriptedServer server, RetrySettings retries, Duration answerTimeout) {
    return ConvokeClient.builder(server.url())
        .apiKey("cvk_1")
        .answerTimeout(answerTimeout)
        .retries(retries)
        .build();
  }

  @Test
  void aListAsksForPagesAsItIsRead() throws Exception {
    try (ScriptedServer server =
            new ScriptedServer(
                (_, request, out) -> {
                  int page = request.target().contains("cursor=p2") ? 2 : 1;
                  String items =
                      MEETING.formatted(page * 10) + "," + MEETING.formatted(page * 10 + 1);
                  String next = page == 1 ? "\"p2\"" : "null";
                  ScriptedServer.json(
                      out, 200, "{\"items\":[" + items + "],\"next_cursor\":" + next + "}");
                });
        ConvokeClient client = client(server)) {
      Iterator<Meeting> meetings = client.meetings(Map.of("status", "active")).iterator();
      assertThat(meetings.next().id()).isEqualTo(10);
      Meeting second = meetings.next();
      assertThat(second.createdAt()).isEqualTo(Instant.parse("2026-03-02T09:00:00Z"));
      assertThat(second.startTime()).isEmpty();
      assertThat(server.received()).hasSize(1);
      assertThat(meetings.next().id()).isEqualTo(20);
      assertThat(meetings.next().id()).isEqualTo(21);
      assertThat(meetings.hasNext()).isFalse();
      assertThat(server.received()).hasSize(2);
      assertThat(server.received()).allMatch(it -> it.target().contains("status=active"));
      assertThat(server.received()).allMatch(it -> it.header("X-API-Key").equals("cvk_1"));
    }
  }

  @Test
  void whatCreatesIsRepeatedUnderOneKey() throws Exception {
    try (ScriptedServer server =
            new ScriptedServer(
                (number, _, out) -> {
                  switch (number) {
                    case 1 -> ScriptedServer.write(out, "HTTP/1.1 201 Created\r\nContent-Le");
                    case 2 -> ScriptedServer.json(out, 503, PROBLEM.formatted(503, "unavailable"));
                    case 3 ->
                        ScriptedServer.json(
                            out, 409, PROBLEM.formatted(409, "idempotency_in_flight"));
                    default -> ScriptedServer.json(out, 201, MEETING.formatted(42));
                  }
                });
        ConvokeClient client = client(server)) {
      Meeting meeting = client.startBot(NewBot.in("daily", "stand-up").named("Notes").queued());
      assertThat(meeting.id()).isEqualTo(42);
      assertThat(server.received()).hasSize(4);
      assertThat(server.received().stream().map(it -> it.header("Idempotency-Key")).distinct())
          .hasSize(1)
          .allMatch(it -> it.length() == 36);
      assertThat(server.received().getLast().body())
          .contains("\"bot_name\":\"Notes\"", "\"queue\":true");
    }
  }

  @Test
  void aChangeWithoutAKeyIsSentOnce() throws Exception {
    try (ScriptedServer server =
            new ScriptedServer(
                (_, _, out) ->
                    ScriptedServer.json(out, 503, PROBLEM.formatted(503, "unavailable")));
        ConvokeClient client = client(server)) {
      ServerFailed failed =
          catchThrowableOfType(
              ServerFailed.class,
              () -> client.send("POST", "/tasks/t/stop", Optional.empty(), false));
      assertThat(failed.problem().code()).isEqualTo("unavailable");
      assertThat(server.received()).hasSize(1);
    }
  }

  @Test
  void aServerThatAsksToWaitIsWaitedForUnlessItIsTooLong() throws Exception {
    try (ScriptedServer server =
            new ScriptedServer(
                (number, request, out) -> {
                  String wait =
                      request.target().endsWith("/1") ? "Retry-After: 1" : "Retry-After: 60";
                  if (number == 2) {
                    ScriptedServer.json(out, 200, MEETING.formatted(1));
                  } else {
                    ScriptedServer.json(out, 429, PROBLEM.formatted(429, "rate_limited"), wait);
                  }
                });
        ConvokeClient client = client(server)) {
      long began = System.nanoTime();
      assertThat(client.meeting(1).id()).isEqualTo(1);
      assertThat(Duration.ofNanos(System.nanoTime() - began)).isGreaterThan(Duration.ofMillis(990));
      LimitReached limit = catchThrowableOfType(LimitReached.class, () -> client.meeting(2));
      assertThat(limit.problem().retryAfter()).hasValue(Duration.ofMinutes(1));
      assertThat(server.received()).hasSize(3);
    }
  }

  @Test
  void aRefusalSaysWhatTheServerSaid() throws Exception {
    try (ScriptedServer server =
            new ScriptedServer(
                (number, _, out) -> {
                  if (number == 1) {
                    ScriptedServer.json(
                        out,
                        400,
                        "{\"code\":\"bad_request\",\"detail\":\"platform is required\",\"trace_id\":\"abc\","
                            + "\"errors\":[{\"field\":\"platform\",\"message\":\"is required\"},"
                            + "{\"field\":\"queue\",\"message\":\"must be a boolean\"}]}");
                  } else if (number == 2) {
                    ScriptedServer.json(out, 401, PROBLEM.formatted(401, "unauthorized"));
                  } else {
                    ScriptedServer.write(
                        out,
                        "HTTP/1.1 404 X\r\nContent-Type: text/html\r\nContent-Length: 4\r\n\r\nnope");
                  }
                });
        ConvokeClient client = client(server)) {
      RequestRefused refused =
          catchThrowableOfType(
              RequestRefused.class, () -> client.startBot(NewBot.in("daily", "x")));
      assertThat(refused.problem().errors()).hasSize(2);
      assertThat(refused.problem().traceId()).hasValue("abc");
      assertThat(refused)
          .hasMessage("platform is required; queue must be a boolean (400 bad_request)");
      assertThat(catchThrowableOfType(RequestRefused.class, () -> client.meeting(1)).unauthorized())
          .isTrue();
      RequestRefused proxy = catchThrowableOfType(RequestRefused.class, () -> client.meeting(1));
      assertThat(proxy.notFound()).isTrue();
      assertThat(proxy.problem().code()).isEqualTo("http_404");
      assertThat(server.received()).hasSize(3);
    }
  }

  /** The JDK's own timeout ends with the headers. */
  @Test
  void anAnswerThatStallsAfterItsHeadersIsNoAnswer() throws Exception {
    CountDownLatch released = new CountDownLatch(1);
    try (ScriptedServer server =
            new ScriptedServer(
                (_, _, out) -> {
                  ScriptedServer.write(
                      out,
                      "HTTP/1.1 200 X\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{");
                  released.await();
                });
        ConvokeClient client = client(server, RetrySettings.NONE, Duration.ofMillis(1500))) {
      NoAnswer none = catchThrowableOfType(NoAnswer.class, () -> client.meeting(1));
      assertThat(none).hasMessageContaining("no whole answer within 1 s");
    } finally {
      released.countDown();
    }
  }

  @Test
  void namesInPathsAndQueriesAreEncoded() throws Exception {
    try (ScriptedServer server =
            new ScriptedServer(
                (_, _, out) ->
                    ScriptedServer.json(out, 200, "{\"items\":[],\"next_cursor\":null}"));
        ConvokeClient client = client(server)) {
      assertThat(client.search("budget & plan+ü").iterator().hasNext()).isFalse();
      assertThat(server.received().getFirst().target())
          .isEqualTo("/search?q=budget%20%26%20plan%2B%C3%BC");
      assertThat(List.copyOf(server.received())).hasSize(1);
    }
  }
}
