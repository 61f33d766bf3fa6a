package io.convoke.server.bots;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Several bots by one request, each with an answer of its own. */
class BotBatchTest {
  private final BotsTestServer testServer = BotsTestServer.open(new FakeLauncher());
  private final long user = testServer.user(Optional.of(3));

  @AfterEach
  void close() {
    testServer.close();
  }

  @Test
  void eachBotHasItsOwnAnswerInTheOrderOfTheRequest() {
    JsonNode items =
        batch(
            List.of(
                BotsTestServer.startBody("one"),
                BotsTestServer.startBody("one"),
                Map.of("platform", "zoom"),
                BotsTestServer.startBody("two"),
                BotsTestServer.startBody("three"),
                BotsTestServer.startBody("four"),
                Map.of("platform", "daily", "native_meeting_id", "five", "queue", true)));
    assertThat(items.findValues("status").stream().filter(JsonNode::isNumber).map(JsonNode::asInt))
        .contains(201, 409, 400, 429);
    assertThat(IntStream.range(0, 7).map(i -> items.path(i).path("status").asInt()))
        .containsExactly(201, 409, 400, 201, 201, 429, 201);
    assertThat(items.path(1).path("problem").path("code").asString())
        .isEqualTo("bot_already_there");
    assertThat(items.path(1).path("problem").path("meeting_id").asLong())
        .isEqualTo(items.path(0).path("meeting").path("id").asLong());
    assertThat(items.path(6).path("meeting").path("substatus").asString()).isEqualTo("queued");
    assertThat(bots()).isEqualTo(4);
  }

  @Test
  void theSameKeyStartsNothingTwice() {
    Object body = Map.of("bots", List.of(BotsTestServer.startBody("one")));
    List<String> headers =
        List.of("X-API-Key", "user-" + user, "Idempotency-Key", "batch-of-monday");
    JsonNode first = testServer.call("POST", "/bots/batch", headers, body).expect(200).json();
    JsonNode second = testServer.call("POST", "/bots/batch", headers, body).expect(200).json();
    assertThat(second).isEqualTo(first);
    assertThat(second.path("items").path(0).path("status").asInt()).isEqualTo(201);
    assertThat(bots()).isEqualTo(1);
  }

  @Test
  void aBatchIsBounded() {
    List<Map<String, Object>> many =
        IntStream.range(0, 51).mapToObj(i -> BotsTestServer.startBody("room-" + i)).toList();
    testServer.user(user, "POST", "/bots/batch", Map.of("bots", many)).expect(400);
    assertThat(bots()).isZero();
  }

  @Test
  void aBatchWithABodyThatNoRequestMayHaveStartsNone() {
    Map<String, Object> nameless = Map.of("platform", "daily", "native_meeting_id", "");
    JsonNode problem =
        testServer
            .user(
                user,
                "POST",
                "/bots/batch",
                Map.of("bots", List.of(BotsTestServer.startBody("one"), nameless)))
            .expect(400)
            .json();
    assertThat(problem.path("errors").path(0).path("field").asString())
        .isEqualTo("bots.1.native_meeting_id");
    assertThat(bots()).isZero();
  }

  private JsonNode batch(List<Map<String, Object>> bots) {
    return testServer
        .user(user, "POST", "/bots/batch", Map.of("bots", bots))
        .expect(200)
        .json()
        .path("items");
  }

  private long bots() {
    return testServer.database.read(
        tx -> tx.sql("select count(*) as n from meetings").one(row -> row.longAt("n")));
  }
}
