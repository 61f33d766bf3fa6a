package io.convoke.e2e.media;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.LocatorAssertions;
import com.microsoft.playwright.options.AriaRole;
import io.convoke.agent.Bot;
import io.convoke.e2e.build.ExampleBuild;
import io.convoke.e2e.console.Chromium;
import io.convoke.e2e.journey.ApiUser;
import io.convoke.e2e.journey.JourneyTestServer;
import io.convoke.e2e.media.SpokenLines.HeardLine;
import io.convoke.engine.dispatch.TaskAttempt;
import io.convoke.engine.durable.Durable;
import io.convoke.engine.json.Json;
import io.convoke.fakes.transcribe.PocketsphinxTranscriber;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * The bot of {@code examples/janus-bot} speaks in a room of a real Janus, which records it, and
 * reads and writes the chat of a person with the join page.
 */
@Tag("nightly")
@Tag("heavy")
@Timeout(900)
class TalkingBotTest {
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final Duration LONG = Duration.ofMinutes(6);
  private static final String BOT = "Noter";
  private static final List<String> SENTENCES =
      List.of("We sell the boat on Monday.", "My brother drives a yellow truck.");

  @TempDir private static Path project;
  @TempDir private Path folder;

  @BeforeAll
  @Timeout(900)
  static void build() throws Exception {
    JanusMachine.require();
    ExampleBuild.packaged(
        "janus-bot",
        project,
        Map.of("agent", Bot.class, "dispatch", TaskAttempt.class, "durable", Durable.class));
  }

  @Test
  void aPersonHearsTheBotAndBothReadWhatTheOtherWrites() throws Exception {
    PocketsphinxTranscriber listener = PocketsphinxTranscriber.listeningFor(SENTENCES, folder);
    Map<String, String> settings =
        Map.of(
            "CONVOKE_TRANSCRIBER",
            listener.setting(),
            "CONVOKE_BOT_COMMAND",
            "JANUS_BOT_JAVA=%s exec sh %s"
                .formatted(
                    Path.of(System.getProperty("java.home"), "bin", "java"),
                    project.resolve("run.sh")));
    try (JanusMachine machine = new JanusMachine(folder, settings);
        Chromium chromium = Chromium.withMicrophone()) {
      ApiUser olivia = machine.olivia();
      String link = room(olivia);
      Page ada = chromium.browser().newContext().newPage();
      ada.setDefaultTimeout((double) SOON.toMillis());
      ada.navigate(link);
      ada.getByLabel("Your name").fill("Ada");
      ada.getByText("Join with microphone").click();
      assertThat(ada.getByRole(AriaRole.STATUS)).hasText("You are in the room.", text());
      ada.getByText("Mute").click();
      long meeting = start(olivia, link);
      JourneyTestServer.await(
          "the bot", SOON, () -> get(olivia, "/meetings/" + meeting, "status").equals("active"));
      JourneyTestServer.await(
          "the bot's connection to her",
          SOON,
          () -> {
            ada.getByLabel("Message").fill("Good morning");
            ada.getByText("Send").click();
            return !chat(olivia, meeting).isEmpty();
          });
      JsonNode read = chat(olivia, meeting).getFirst();
      assertThat(read.path("sender").asString()).isEqualTo("Ada");
      assertThat(read.path("text").asString()).isEqualTo("Good morning");
      assertThat(read.path("from_bot").asBoolean()).isFalse();

      tell(olivia, "chat", Map.of("text", "I take the minutes."));
      assertThat(ada.getByRole(AriaRole.LOG))
          .containsText(
              BOT + ": I take the minutes.",
              new LocatorAssertions.ContainsTextOptions().setTimeout((double) SOON.toMillis()));
      JourneyTestServer.await(
          "its own message",
          SOON,
          () -> chat(olivia, meeting).stream().anyMatch(it -> it.path("from_bot").asBoolean()));

      tell(olivia, "speak", Map.of("text", SENTENCES.getFirst(), "voice", "en-us"));
      tell(olivia, "speak", Map.of("audio_base64", spoken(SENTENCES.getLast())));
      JourneyTestServer.await(
          "both are said", SOON, () -> acknowledged(olivia, meeting, "speak") == 2);
      // It is told that they are taken, not that they are said: both last seven seconds.
      ada.waitForTimeout((double) Duration.ofSeconds(10).toMillis());
      JsonNode _ = olivia.post("/bots/stop", "{\"meeting_id\": %d}".formatted(meeting)).body();
      JourneyTestServer.await(
          "its end",
          SOON,
          () ->
              List.of("completed", "failed")
                  .contains(get(olivia, "/meetings/" + meeting, "status")));
      JsonNode outcome = body(olivia, "/meetings/" + meeting).path("data").path("outcome");
      assertThat(outcome.path("reason").asString()).as("%s", outcome).isEqualTo("stopped");
      ada.getByText("Leave").click();

      JourneyTestServer.await("the recording", LONG, () -> recorded(olivia));
      List<HeardLine> heard =
          recordings(olivia).stream()
              .map(it -> it.path("meeting_id").asLong())
              .distinct()
              .flatMap(id -> SpokenLines.of(body(olivia, "/transcripts/" + id)).stream())
              .filter(line -> line.speaker().equals(BOT))
              .toList();
      double rate = SpokenLines.errorRate(Map.of(BOT, SENTENCES), heard);
      System.out.printf(
          java.util.Locale.ROOT, "the bot's speech: %s, word error rate %.3f%n", heard, rate);
      assertThat(rate).as("%s", heard).isLessThan(0.4);
    }
  }

  private static LocatorAssertions.HasTextOptions text() {
    return new LocatorAssertions.HasTextOptions().setTimeout((double) SOON.toMillis());
  }

  private static String room(ApiUser user) throws Exception {
    return user.post("/rooms", "{\"name\": \"standup\", \"record\": true}")
        .body()
        .path("links")
        .path("guest")
        .asString();
  }

  private static long start(ApiUser user, String link) throws Exception {
    return user.post(
            "/bots/start",
            """
            {"platform": "janus", "native_meeting_id": "standup", "bot_name": "%s",
             "meeting_url": "%s"}
            """
                .formatted(BOT, link))
        .body()
        .path("id")
        .asLong();
  }

  private static void tell(ApiUser user, String what, Map<String, String> body) throws Exception {
    ApiUser.Reply reply = user.post("/bots/janus/standup/" + what, Json.write(body));
    assertThat(reply.status()).as(reply.body().toString()).isEqualTo(202);
  }

  private static JsonNode body(ApiUser user, String path) {
    try {
      return user.get(path).body();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static String get(ApiUser user, String path, String field) {
    return body(user, path).path(field).asString("");
  }

  private static List<JsonNode> chat(ApiUser user, long meeting) {
    return body(user, "/meetings/" + meeting + "/chat").path("items").valueStream().toList();
  }

  /** How many commands the bot has carried out. */
  private static long acknowledged(ApiUser user, long meeting, String action) {
    List<JsonNode> all =
        body(user, "/meetings/" + meeting + "/timeline?limit=200")
            .path("items")
            .valueStream()
            .filter(it -> it.path("type").asString().equals("bot.command_acknowledged"))
            .map(it -> it.path("data"))
            .filter(it -> it.path("action").asString().equals(action))
            .toList();
    assertThat(all).allMatch(it -> it.path("applied").size() == 1);
    return all.size();
  }

  private static List<JsonNode> recordings(ApiUser user) {
    return body(user, "/recordings").path("items").valueStream().toList();
  }

  private static boolean recorded(ApiUser user) {
    List<JsonNode> all = recordings(user);
    assertThat(all).noneMatch(it -> it.path("status").asString().equals("failed"));
    return !all.isEmpty()
        && all.stream().allMatch(it -> it.path("status").asString().equals("done"));
  }

  /** A WAV of espeak-ng, in base64. */
  private static String spoken(String sentence) throws Exception {
    Path wav = Files.createTempFile("convoke-spoken-", ".wav");
    try {
      Process process =
          new ProcessBuilder("espeak-ng", "-v", "en-gb", "-w", wav.toString(), sentence)
              .inheritIO()
              .start();
      assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
      return Base64.getEncoder().encodeToString(Files.readAllBytes(wav));
    } finally {
      Files.delete(wav);
    }
  }
}
