package io.convoke.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.convoke.client.ConvokeException.LimitReached;
import io.convoke.client.ConvokeException.NoAnswer;
import io.convoke.client.ConvokeException.RequestRefused;
import io.convoke.client.ConvokeException.ServerFailed;
import io.convoke.client.calls.ConfigureBot;
import io.convoke.client.calls.ConfigureBot.ConfigureBotAutomaticLeave;
import io.convoke.client.calls.CorrectSegment;
import io.convoke.client.calls.DeleteRecording;
import io.convoke.client.calls.GetMeeting;
import io.convoke.client.calls.GetRecording;
import io.convoke.client.calls.GetSyncStatus;
import io.convoke.client.calls.ListMeetings;
import io.convoke.client.calls.RaiseWorkflowEvent;
import io.convoke.client.calls.ReleaseRoom;
import io.convoke.client.calls.SearchTranscripts;
import io.convoke.client.calls.SignInByOidc;
import io.convoke.client.calls.StartBot;
import io.convoke.client.calls.TrackMeeting;
import io.convoke.client.calls.UploadBotRecording;
import io.convoke.client.types.BotStatusReport;
import io.convoke.client.types.BotUploadAnswer;
import io.convoke.client.types.Meeting;
import io.convoke.client.types.Segment;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinTask;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

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

  /** On a machine of two processors the common pool has one thread. */
  @Test
  void aCallThatHoldsTheCommonPoolIsAnswered() throws Exception {
    try (ScriptedServer server =
            new ScriptedServer((_, _, out) -> ScriptedServer.json(out, 200, MEETING.formatted(4)));
        ConvokeClient client = client(server, RetrySettings.NONE, Duration.ofSeconds(20))) {
      CountDownLatch over = new CountDownLatch(1);
      ForkJoinPool pool = ForkJoinPool.commonPool();
      List<ForkJoinTask<?>> holding = new ArrayList<>();
      for (int i = 0; i < pool.getParallelism(); i++) {
        holding.add(
            pool.submit(
                () -> {
                  over.await();
                  return true;
                }));
      }
      assertThat(client.call(GetMeeting.of(4)).id()).isEqualTo(4);
      over.countDown();
      holding.forEach(ForkJoinTask::join);
    }
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
      Iterator<Meeting> meetings = client.list(ListMeetings.of().status("active")).iterator();
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
  void aCredentialThatCannotBeSentIsRefusedAtOnceWithoutItsValue() throws Exception {
    try (ScriptedServer server =
        new ScriptedServer((_, _, out) -> ScriptedServer.json(out, 200, MEETING.formatted(4)))) {
      for (String wrong : List.of("cvk_\u200b1", "cvk_\n1", "cvk_\u007f1", "schl\u00fcssel", " ")) {
        assertThatThrownBy(() -> ConvokeClient.builder(server.url()).apiKey(wrong))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessage("the API key is empty, or has a character that is not printable ASCII");
        assertThatThrownBy(() -> ConvokeClient.builder(server.url()).adminKey(wrong))
            .hasMessageStartingWith("the admin key is empty, or has");
        assertThatThrownBy(() -> ConvokeClient.builder(server.url()).bearer(wrong))
            .hasMessageStartingWith("the token is empty, or has");
      }
      try (ConvokeClient client =
          ConvokeClient.builder(server.url()).apiKey(" cvk_2\r\n").build()) {
        assertThat(client.call(GetMeeting.of(4)).id()).isEqualTo(4);
      }
      assertThat(server.received().getFirst().header("X-API-Key")).isEqualTo("cvk_2");
    }
  }

  @Test
  void aDocumentOfSeveralPagesIsOneDocument() throws Exception {
    Map<String, String> pages =
        Map.of(
            "vtt", "WEBVTT\n\n00:00:0N.000 --> 00:00:0N.500\n<v Ada>N</v>\n",
            "srt", "1\n00:00:0N,000 --> 00:00:0N,500\nN\n\n",
            "txt", "[00:00:0N] Ada: Hi\n",
            "md", "# Transcript of meeting 4\n\n**Ada** (00:00:0N): Hi\n");
    try (ScriptedServer server =
            new ScriptedServer(
                (_, request, out) -> {
                  String[] asked = request.target().split("[=&]", -1);
                  String page = pages.getOrDefault(asked[1], "");
                  if (request.target().endsWith("&cursor=p2")) {
                    ScriptedServer.json(out, 200, page.replace("N", "2"));
                  } else {
                    ScriptedServer.json(out, 200, page.replace("N", "1"), "Next-Cursor: p2");
                  }
                });
        ConvokeClient client = client(server)) {
      assertThat(client.transcript(4, TranscriptFormat.VTT))
          .isEqualTo(
              """
              WEBVTT

              00:00:01.000 --> 00:00:01.500
              <v Ada>1</v>

              00:00:02.000 --> 00:00:02.500
              <v Ada>2</v>
              """);
      assertThat(client.transcript(4, TranscriptFormat.SRT))
          .isEqualTo(
              """
              1
              00:00:01,000 --> 00:00:01,500
              1

              2
              00:00:02,000 --> 00:00:02,500
              2

              """);
      assertThat(client.transcript(4, TranscriptFormat.TXT))
          .isEqualTo("[00:00:01] Ada: Hi\n[00:00:02] Ada: Hi\n");
      assertThat(client.transcript(4, TranscriptFormat.MD))
          .isEqualTo(
              """
              # Transcript of meeting 4

              **Ada** (00:00:01): Hi

              **Ada** (00:00:02): Hi
              """);
      assertThat(server.received().getLast().target())
          .isEqualTo("/transcripts/4?format=md&cursor=p2");
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
      Meeting meeting =
          client.call(
              StartBot.of("daily").nativeMeetingId("stand-up").botName("Notes").queue(true));
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
  void whatTakesNoKeyIsNotSentWithOne() throws Exception {
    try (ScriptedServer server =
            new ScriptedServer((_, _, out) -> ScriptedServer.write(out, "HTTP/1.1 2"));
        ConvokeClient client = client(server)) {
      RaiseWorkflowEvent event = RaiseWorkflowEvent.of("w", "go");
      assertThatThrownBy(() -> client.call(event, "stored-key"))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("takes no idempotency key");
      assertThatThrownBy(() -> client.call(event)).isInstanceOf(NoAnswer.class);
      assertThat(server.received()).hasSize(1);
    }
  }

  /** The JDK sends a question mark for each letter beyond ASCII, and servers strip spaces. */
  @Test
  void keysThatWouldArriveAsOneAreRefused() throws Exception {
    try (ScriptedServer server =
            new ScriptedServer((_, _, out) -> ScriptedServer.json(out, 201, MEETING.formatted(1)));
        ConvokeClient client = client(server)) {
      TrackMeeting track = TrackMeeting.of("daily").nativeMeetingId("a");
      for (String key : List.of("M\u00fcller", "M\u00f6ller", "", " ", "a ", " a", "a\r\nb: c")) {
        assertThatThrownBy(() -> client.call(track, key))
            .as(key)
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("printable ASCII");
      }
      Meeting _ = client.call(track, "a key of 17");
      assertThat(server.received()).hasSize(1);
    }
  }

  @Test
  void aDeletionWhoseAnswerWasLostIsDone() throws Exception {
    try (ScriptedServer server =
            new ScriptedServer(
                (number, _, out) -> {
                  if (number == 1) {
                    ScriptedServer.write(out, "HTTP/1.1 2");
                  } else {
                    int status = number == 4 ? 503 : 404;
                    ScriptedServer.json(out, status, PROBLEM.formatted(status, "not_found"));
                  }
                });
        ConvokeClient client = client(server)) {
      JsonNode nothing = client.call(DeleteRecording.of("r1"));
      assertThat(nothing.isMissingNode()).isTrue();
      assertThat(server.received()).hasSize(2);
      RequestRefused refused =
          catchThrowableOfType(RequestRefused.class, () -> client.call(DeleteRecording.of("r2")));
      assertThat(refused.notFound()).as("without an attempt before").isTrue();
      refused =
          catchThrowableOfType(RequestRefused.class, () -> client.call(DeleteRecording.of("r3")));
      assertThat(refused.notFound()).as("after one that was refused").isTrue();
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
      assertThat(client.call(GetMeeting.of(1)).id()).isEqualTo(1);
      assertThat(Duration.ofNanos(System.nanoTime() - began)).isGreaterThan(Duration.ofMillis(990));
      LimitReached limit =
          catchThrowableOfType(LimitReached.class, () -> client.call(GetMeeting.of(2)));
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
              RequestRefused.class, () -> client.call(StartBot.of("daily").nativeMeetingId("x")));
      assertThat(refused.problem().errors()).hasSize(2);
      assertThat(refused.problem().traceId()).hasValue("abc");
      assertThat(refused)
          .hasMessage("platform is required; queue must be a boolean (400 bad_request)");
      assertThat(
              catchThrowableOfType(RequestRefused.class, () -> client.call(GetMeeting.of(1)))
                  .unauthorized())
          .isTrue();
      RequestRefused proxy =
          catchThrowableOfType(RequestRefused.class, () -> client.call(GetMeeting.of(1)));
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
      NoAnswer none = catchThrowableOfType(NoAnswer.class, () -> client.call(GetMeeting.of(1)));
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
      assertThat(client.list(SearchTranscripts.of("budget & plan+ü")).iterator().hasNext())
          .isFalse();
      assertThat(server.received().getFirst().target())
          .isEqualTo("/search?q=budget%20%26%20plan%2B%C3%BC");
      assertThat(List.copyOf(server.received())).hasSize(1);
    }
  }

  @Test
  void aCallIsSentWithWhatItWasGivenAndKeepsAKeyThatIsGiven() throws Exception {
    try (ScriptedServer server =
            new ScriptedServer((_, _, out) -> ScriptedServer.json(out, 200, MEETING.formatted(1)));
        ConvokeClient client = client(server)) {
      Meeting _ = client.call(TrackMeeting.of("daily").nativeMeetingId("a"), "stored-key");
      JsonNode _ = client.call(GetSyncStatus.of().meetingId(List.of("1", "2")));
      ConfigureBotAutomaticLeave rules =
          new ConfigureBotAutomaticLeave(Optional.of(9.5), Optional.empty());
      BotStatusReport _ =
          client.call(ConfigureBot.of().meetingId(7).language("fr").automaticLeave(rules));
      JsonNode nothing = client.call(ReleaseRoom.of("daily", "acme/*"));
      assertThat(nothing.isMissingNode()).isTrue();
      byte[] upload = {1, 2};
      BotUploadAnswer _ =
          client.call(UploadBotRecording.of("multipart/form-data; boundary=x", upload));
      Segment _ = client.call(CorrectSegment.of(1, 2).withoutSpeaker());
      assertThat(server.received())
          .extracting(ScriptedServer.ReceivedRequest::target)
          .containsExactly(
              "/meetings",
              "/sync-status?meeting_id=1&meeting_id=2",
              "/bots/config",
              "/rooms/daily/acme%2F*",
              "/bots/internal/recordings",
              "/transcripts/1/segments/2");
      assertThat(server.received().getFirst().header("Idempotency-Key")).isEqualTo("stored-key");
      assertThat(server.received().get(2).body())
          .contains("\"language\":\"fr\"", "\"automatic_leave\":{\"silence_timeout\":9.5}");
      assertThat(server.received().get(4).header("Content-Type"))
          .isEqualTo("multipart/form-data; boundary=x");
      assertThat(server.received().getLast().body()).isEqualTo("{\"speaker\":null}");
      assertThatThrownBy(() -> GetRecording.of(".."))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("names nothing");
    }
  }

  @Test
  void aRedirectIsAnAnswerWhereTheDocumentSaysSoAndIsNotFollowed() throws Exception {
    try (ScriptedServer server =
            new ScriptedServer(
                (_, _, out) ->
                    ScriptedServer.write(
                        out,
                        "HTTP/1.1 303 X\r\nLocation: https://id.example/\r\nContent-Length: 0\r\n\r\n"));
        ConvokeClient client = client(server)) {
      assertThat(client.call(SignInByOidc.of())).hasHost("id.example");
      RequestRefused refused =
          catchThrowableOfType(RequestRefused.class, () -> client.call(GetMeeting.of(1)));
      assertThat(refused.problem().status()).isEqualTo(303);
      assertThat(server.received()).hasSize(2);
    }
  }
}
