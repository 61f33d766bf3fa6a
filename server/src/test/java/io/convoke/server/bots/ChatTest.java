package io.convoke.server.bots;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.agent.BotConfig;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Messages of the chat that bots report are stored once, announced and read (bots-31). */
class ChatTest {
  private final BotsTestServer testServer = BotsTestServer.open(new FakeLauncher());
  private final long user = testServer.user(Optional.of(3));
  private long meeting;
  private BotConfig bot;

  @BeforeEach
  void start() {
    meeting = testServer.start(user, "standup").expect(201).json().path("id").asLong();
    bot = testServer.configOf(meeting);
  }

  @AfterEach
  void close() {
    testServer.close();
  }

  @Test
  void aReportedMessageIsStoredOnceAndAnnounced() {
    testServer.started(bot).expect(200);
    report(List.of(message("m1", "Ada", "Good morning")));
    report(List.of(message("m1", "Ada", "Good morning"), message("m2", "Bob", "Hello")));
    report(List.of(message("m1", "Ada", "something else")));
    JsonNode items = chat("").path("items");
    assertThat(items.findValuesAsString("text")).containsExactly("Good morning", "Hello");
    assertThat(items.findValuesAsString("sender")).containsExactly("Ada", "Bob");
    assertThat(items.path(0).path("at").asString()).startsWith("2026-11-26T20:00:00");
    assertThat(items.path(0).path("from_bot").asBoolean()).isFalse();

    JsonNode events =
        testServer.get(user, "/events?type=chat.message").expect(200).json().path("items");
    assertThat(events).hasSize(2);
    JsonNode event = events.path(0);
    assertThat(event.path("subject").asString()).isEqualTo("meeting:" + meeting);
    JsonNode data = event.path("data");
    assertThat(data.path("meeting_id").asLong()).isEqualTo(meeting);
    assertThat(data.path("session_uid").asString()).isEqualTo(bot.connectionId());
    assertThat(data.path("id")).isEqualTo(items.path(0).path("id"));
    assertThat(data.path("text").asString()).isEqualTo("Good morning");
  }

  @Test
  void whatTheBotWroteIsMarkedAndASenderMayBeUnknown() {
    testServer.started(bot).expect(200);
    report(
        List.of(
            Map.of("id", "c1", "text", "Notes", "at", "2026-11-26T20:00:00Z", "from_bot", true)));
    JsonNode item = chat("").path("items").path(0);
    assertThat(item.path("from_bot").asBoolean()).isTrue();
    assertThat(item.path("sender").isNull()).isTrue();
  }

  @Test
  void theChatIsReadPageByPageAndFromAMessageOn() {
    testServer.started(bot).expect(200);
    report(IntStream.range(0, 5).mapToObj(i -> message("m" + i, "Ada", "text " + i)).toList());
    JsonNode first = chat("?limit=2");
    assertThat(texts(first)).containsExactly("text 0", "text 1");
    JsonNode second = chat("?limit=2&cursor=" + first.path("next_cursor").asString());
    assertThat(texts(second)).containsExactly("text 2", "text 3");
    JsonNode third = chat("?limit=2&cursor=" + second.path("next_cursor").asString());
    assertThat(texts(third)).containsExactly("text 4");
    assertThat(third.path("next_cursor").isNull()).isTrue();
    long known = second.path("items").path(1).path("id").asLong();
    assertThat(texts(chat("?after=" + known))).containsExactly("text 4");
    assertThat(texts(chat("?after=" + (known + 1)))).isEmpty();
    testServer.get(user, "/meetings/" + meeting + "/chat?after=-1").expect(400);
  }

  @Test
  void theSameIdInAnotherMeetingIsAnotherMessage() {
    testServer.started(bot).expect(200);
    report(List.of(message("m1", "Ada", "here")));
    long other = testServer.start(user, "planning").expect(201).json().path("id").asLong();
    BotConfig second = testServer.configOf(other);
    testServer.started(second).expect(200);
    testServer
        .callback(second, "chat", Map.of("messages", List.of(message("m1", "Ada", "there"))))
        .expect(200);
    assertThat(texts(chat(""))).containsExactly("here");
    JsonNode there = testServer.get(user, "/meetings/" + other + "/chat").expect(200).json();
    assertThat(texts(there)).containsExactly("there");
  }

  @Test
  void onlyTheOwnerAndTheOperatorReadIt() {
    testServer.started(bot).expect(200);
    report(List.of(message("m1", "Ada", "Good morning")));
    long other = testServer.user(Optional.of(1));
    String path = "/meetings/" + meeting + "/chat";
    testServer.get(other, path).expect(404);
    assertThat(testServer.get(other, "/events?type=chat.message").json().path("items")).isEmpty();
    testServer.call("GET", path, List.of("X-Admin-API-Key", "the-admin-key"), Map.of()).expect(200);
    testServer.get(user, "/meetings/987654321/chat").expect(404);
  }

  @Test
  void onlyTheRunningLaunchReports() {
    Map<String, Object> body = Map.of("messages", List.of(message("m1", "Ada", "x")));
    testServer.callback(bot, "chat", body).expect(409);
    testServer.started(bot).expect(200);
    testServer.call("POST", "/callback/chat", BotsTestServer.asUser(user), body).expect(403);
    testServer
        .callback(bot, "chat", Map.of("connection_id", "other", "messages", List.of()))
        .expect(403);
    for (Map<String, Object> bad :
        List.<Map<String, Object>>of(
            Map.of("id", "", "text", "x", "at", "2026-11-26T20:00:00Z"),
            Map.of("id", "m", "text", "", "at", "2026-11-26T20:00:00Z"),
            Map.of("id", "m", "text", "x".repeat(4097), "at", "2026-11-26T20:00:00Z"),
            Map.of("id", "m", "text", "x", "at", "today"),
            Map.of("id", "m", "text", "x"))) {
      testServer.callback(bot, "chat", Map.of("messages", List.of(bad))).expect(400);
    }
    testServer.callback(bot, "exited", Map.of("exit_code", 0)).expect(200);
    testServer.callback(bot, "chat", body).expect(410);
    assertThat(chat("").path("items")).isEmpty();
  }

  private void report(List<Map<String, Object>> messages) {
    testServer.callback(bot, "chat", Map.of("messages", messages)).expect(200);
  }

  private JsonNode chat(String query) {
    return testServer.get(user, "/meetings/" + meeting + "/chat" + query).expect(200).json();
  }

  private static List<String> texts(JsonNode page) {
    return page.path("items").findValuesAsString("text");
  }

  private static Map<String, Object> message(String id, String sender, String text) {
    return Map.of("id", id, "sender", sender, "text", text, "at", "2026-11-26T20:00:00Z");
  }
}
