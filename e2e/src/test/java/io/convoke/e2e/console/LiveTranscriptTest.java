package io.convoke.e2e.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Download;
import com.microsoft.playwright.options.ColorScheme;
import com.sun.net.httpserver.HttpServer;
import io.convoke.e2e.journey.ApiUser;
import io.convoke.e2e.journey.JourneyTestServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The transcript of an open meeting page while a bot reports segments. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
@Tag("heavy")
@Tag("nightly")
class LiveTranscriptTest {
  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final String AT_END =
      "const box = document.querySelector('.transcript');"
          + " const atEnd = box.scrollHeight - box.scrollTop - box.clientHeight < 30;";

  /** The heights of the bars of speech, lane by lane. */
  private static final String BARS =
      "[...document.querySelectorAll('.lane-bars .spoken')].map((bar) => bar.getAttribute('height')).join(' ')";

  /** Where a launched bot writes its configuration; reading waits for it. */
  private static Path pipe;

  private static Chromium chromium;
  private static JourneyTestServer testServer;
  private static String key;
  private static ApiUser olivia;

  /** A running bot of a meeting, which reports to the server. */
  private record Bot(long meeting, String connection, ApiUser api) {
    void says(String segments) throws Exception {
      ApiUser.Reply reply =
          api.post(
              "/callback/transcript",
              "{\"connection_id\": \"%s\", \"segments\": [%s]}".formatted(connection, segments));
      assertThat(reply.status()).as(reply.body().toString()).isEqualTo(200);
    }
  }

  @BeforeAll
  @Timeout(value = 5, unit = TimeUnit.MINUTES)
  static void open(@TempDir Path folder) throws Exception {
    pipe = folder.resolve("configurations");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    chromium = Chromium.start();
    testServer =
        JourneyTestServer.open(
            folder,
            Map.of(
                "CONVOKE_WEBHOOKS_ALLOW_PRIVATE",
                "true",
                "CONVOKE_BOT_COMMAND",
                "printf %s \"$BOT_CONFIG\" > " + pipe + "; exec sleep 900"));
    ApiUser admin = testServer.admin();
    long user =
        admin
            .post(
                "/admin/users", "{\"email\": \"olivia@example.org\", \"max_concurrent_bots\": 20}")
            .body()
            .path("id")
            .asLong();
    key = admin.post("/admin/users/" + user + "/tokens", "{}").body().path("token").asString();
    olivia = new ApiUser(testServer.server().url(), Map.of("X-API-Key", key));
  }

  @AfterAll
  static void close() {
    if (testServer != null) {
      testServer.close();
      chromium.close();
    }
  }

  @Test
  void anOpenPageAndAWebhookGetSegmentsAndFinalOnesReplaceDrafts() throws Exception {
    BlockingQueue<String> posts = new LinkedBlockingQueue<>();
    HttpServer receiver =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    receiver.createContext(
        "/",
        exchange -> {
          posts.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
          exchange.sendResponseHeaders(204, -1);
          exchange.close();
        });
    receiver.start();
    Bot bot = bot("live-words");
    try (ConsoleUser consoleUser = onDesktop()) {
      ApiUser.Reply endpoint =
          olivia.post(
              "/webhook-endpoints",
              "{\"url\": \"http://127.0.0.1:%d/\"}".formatted(receiver.getAddress().getPort()));
      assertThat(endpoint.status()).isEqualTo(201);
      consoleUser.open("/meetings/" + bot.meeting(), key).isSettled();
      consoleUser.sees("Nothing has been transcribed yet");
      consoleUser.page().evaluate("window.sameDocument = true");

      bot.says(segment(1, "Good morning", "Ada"));
      consoleUser.sees(consoleUser.find(".transcript"), "Good morning");
      bot.says(segment(3, "Shall", "Bob").replace("}", ", \"completed\": false}"));
      consoleUser.sees(consoleUser.find(".said[data-draft]"), "Shall");
      bot.says(segment(3, "Shall we begin?", "Bob"));
      consoleUser.sees(consoleUser.find(".transcript"), "Shall we begin?");
      consoleUser.counts(consoleUser.find(".said"), 2);
      consoleUser.counts(consoleUser.find(".said[data-draft]"), 0);

      bot.says(lines(10, 70));
      consoleUser.becomesTrue(
          "() => {" + AT_END + " return atEnd && box.innerText.includes('number 69')}");

      consoleUser.press("/");
      consoleUser.type("number");
      consoleUser.sees(consoleUser.find(".said-tools [role=status]"), "1 of 60");
      consoleUser.page().evaluate("document.querySelector('.transcript').scrollTop = 200");
      bot.says(segment(100, "number last", "Ada"));
      consoleUser.sees(consoleUser.find(".said-tools [role=status]"), "of 61");
      assertThat(
              (int) consoleUser.page().evaluate("document.querySelector('.transcript').scrollTop"))
          .isBetween(150, 250);
      assertThat(consoleUser.page().evaluate("window.sameDocument")).isEqualTo(true);
      assertThat(consoleUser.find(".timeline").innerText()).doesNotContain("Transcript segments");
      Axe.findsNothingSerious(consoleUser.page(), "meeting with a transcript");
      consoleUser.hadNoErrorsExcept();

      String body = "";
      while (!body.contains("Shall we begin?")) {
        body =
            Optional.ofNullable(posts.poll(30, TimeUnit.SECONDS))
                .orElseThrow(() -> new AssertionError("no message with the words came"));
      }
      JsonNode message = JSON.readTree(body);
      assertThat(message.path("type").asString()).isEqualTo("transcript.segments");
      assertThat(message.path("data").path("meeting_id").asLong()).isEqualTo(bot.meeting());
    } finally {
      receiver.stop(0);
    }
  }

  /** From the moment at which the bot begins to report a draft to its words in the page. */
  @Test
  void theFirstWordOfACaptionIsInThePageWithinASecond() throws Exception {
    Bot bot = bot("captions");
    try (ConsoleUser consoleUser = onDesktop()) {
      bot.says(segment(0, "Begin", "Ada"));
      consoleUser.open("/meetings/" + bot.meeting(), key).isSettled();
      consoleUser.sees(consoleUser.find(".transcript"), "Begin");
      consoleUser
          .page()
          .evaluate(
              """
              () => {
                window.seen = {};
                new MutationObserver(() => {
                  for (const [word] of document.querySelector('.transcript').innerText.matchAll(/caption\\d+/g))
                    window.seen[word] ??= Date.now();
                }).observe(document.querySelector('.transcript'), { subtree: true, childList: true, characterData: true });
              }
              """);
      List<Long> times = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        String word = "caption" + i;
        long began = System.currentTimeMillis();
        bot.says(segment(i + 1, word, "Ada").replace("}", ", \"completed\": false}"));
        consoleUser.becomesTrue("() => window.seen['" + word + "']");
        Number seen = (Number) consoleUser.page().evaluate("window.seen['" + word + "']");
        times.add(seen.longValue() - began);
      }
      times.sort(null);
      System.out.println("captions in the page after ms: " + times);
      assertThat(times.get(times.size() * 9 / 10 - 1)).isLessThan(1000);
    }
  }

  /**
   * Three voices: of unknown level, quiet and loud; the quiet one becomes as loud when it is told.
   */
  @Test
  void theLouderPeopleSpeakTheHigherAreTheirBars() throws Exception {
    Bot bot = bot("levels");
    bot.says(segment(1, "Good morning", "Ada"));
    bot.says(segment(3, "Hello", "Bob").replace("}", ", \"level_db\": -42}"));
    bot.says(segment(5, "HELLO", "Cyd").replace("}", ", \"level_db\": -12}"));
    try (ConsoleUser consoleUser = onDesktop()) {
      consoleUser.open("/meetings/" + bot.meeting(), key).isSettled();
      consoleUser.becomesTrue("() => " + BARS + " === '6 4 14'");
      bot.says(segment(60, "Hello again", "Bob").replace("}", ", \"level_db\": -12}"));
      consoleUser.becomesTrue("() => " + BARS + ".includes('4 14 14')");
      assertThat(consoleUser.find(".lane-bars").innerHTML())
          .contains("Cyd speaks")
          .contains("-12 dB");
    }
  }

  @Test
  void aTranscriptIsDownloadedFromItsPage() throws Exception {
    Bot bot = bot("download");
    bot.says(segment(1, "Good morning", "Ada"));
    try (ConsoleUser consoleUser = onDesktop()) {
      consoleUser.open("/meetings/" + bot.meeting(), key).isSettled();
      consoleUser.sees(consoleUser.find(".transcript"), "Good morning");
      Download download =
          consoleUser.page().waitForDownload(() -> consoleUser.page().getByText("VTT").click());
      assertThat(download.suggestedFilename()).isEqualTo("meeting-" + bot.meeting() + ".vtt");
      assertThat(Files.readString(download.path())).contains("<v Ada>Good morning</v>");
    }
  }

  @Test
  void aSegmentIsCorrectedAndASpeakerRenamedInThePage() throws Exception {
    Bot bot = bot("corrections");
    bot.says(segment(1, "We need a widget", "Speaker 1"));
    bot.says(segment(3, "Yes", "Speaker 1"));
    bot.says(segment(5, "Not", "Bob").replace("}", ", \"completed\": false}"));
    try (ConsoleUser consoleUser = onDesktop()) {
      consoleUser.open("/meetings/" + bot.meeting(), key).isSettled();
      consoleUser.counts(consoleUser.find(".said"), 3);
      consoleUser.counts(consoleUser.find(".said-edit"), 2);
      consoleUser.find(".said-edit").first().click();
      consoleUser.sees(consoleUser.find("dialog h2"), "Correct this segment");
      Axe.findsNothingSerious(consoleUser.page(), "a correction");
      consoleUser.find("dialog textarea").fill("We need a <budget>");
      consoleUser.find("dialog button[type=submit]").click();
      consoleUser.sees(consoleUser.find(".said").first(), "We need a <budget>");
      consoleUser.counts(consoleUser.find("dialog"), 0);

      consoleUser.find(".said b button").first().click();
      consoleUser.find("dialog input[name=to]").fill("Ada");
      consoleUser.find("dialog button[type=submit]").click();
      consoleUser.sees("2 segments are by Ada now.");
      consoleUser.sees(consoleUser.find(".said").first(), "Ada");

      consoleUser.find(".said-tools button:has-text('Corrections')").click();
      consoleUser.counts(consoleUser.find(".changes li"), 2);
      consoleUser.sees(consoleUser.find(".changes del").last(), "We need a widget");
      consoleUser.sees(consoleUser.find(".changes ins").last(), "We need a <budget>");
      consoleUser.sees(consoleUser.find(".changes ins").first(), "Ada");
      Axe.findsNothingSerious(consoleUser.page(), "the history of corrections");
      consoleUser.press("Escape");

      String longest = "W".repeat(120);
      consoleUser.find(".said b button").first().click();
      consoleUser.find("dialog input[name=to]").fill(longest);
      consoleUser.find("dialog button[type=submit]").click();
      consoleUser.sees(consoleUser.find(".said").first(), longest);
      consoleUser.sees(consoleUser.find(".timeline"), longest);
      consoleUser.seesNothingBeyondTheEdge();
      consoleUser.becomesTrue(
          """
          () => {
            const { scrollWidth, clientWidth } = document.querySelector('.transcript');
            return scrollWidth <= clientWidth;
          }
          """);
      consoleUser.hadNoErrorsExcept();
    }
  }

  @Test
  void whatWasSaidIsFoundOnThePageAndInThePalette() throws Exception {
    Bot bot = bot("findings");
    bot.says(lines(100, 300));
    bot.says(segment(400, "The <b>zebra</b> & its stripes", "Ada"));
    try (ConsoleUser consoleUser = onDesktop()) {
      consoleUser.open("/search", key).isSettled();
      consoleUser.type("zebra stripe");
      consoleUser.counts(consoleUser.find(".hits li"), 1);
      consoleUser.sees(consoleUser.find(".hits a"), "The <b>zebra</b> & its stripes");
      assertThat(consoleUser.find(".hits mark").allInnerTexts())
          .containsExactly("zebra", "stripes");
      consoleUser.isAt("/search\\?q=zebra\\+stripe");
      Axe.findsNothingSerious(consoleUser.page(), "a search");
      consoleUser.find(".hits a").click();
      isInSight(consoleUser, "zebra");

      consoleUser.press("Control+k");
      consoleUser.type("number 150");
      consoleUser.sees(consoleUser.find("#palette-list"), "number 150 of many");
      Axe.findsNothingSerious(consoleUser.page(), "the palette with what was said");
      consoleUser.find("#palette-list li:has-text('number 150 of many')").click();
      isInSight(consoleUser, "number 150 ");

      consoleUser.press("Control+k");
      consoleUser.type("nowhere at all");
      consoleUser.find("#palette-list li:has-text('Search what was said')").click();
      consoleUser.sees("Not found");
      consoleUser.find(".search-all input").fill("!!");
      consoleUser.sees(consoleUser.find(".problem"), "has no word");
      consoleUser.hadNoErrorsExcept("400 (Bad Request)");
    }
    try (ConsoleUser consoleUser =
        ConsoleUser.onPhone(chromium.browser(), testServer.server().url())) {
      consoleUser.open("/search?q=zebra", key).isSettled();
      consoleUser.counts(consoleUser.find(".hits li"), 1);
      consoleUser.seesNothingBeyondTheEdge();
      consoleUser.find(".hits a").click();
      isInSight(consoleUser, "zebra");
      consoleUser.seesNothingBeyondTheEdge();
    }
  }

  @Test
  @Tag("nightly")
  void aLongTranscriptIsThereFromItsFirstToItsLastSegment() throws Exception {
    Bot bot = bot("long-words");
    for (int from = 0; from < 5000; from += 500) {
      bot.says(lines(from, from + 500));
    }
    try (ConsoleUser consoleUser = onDesktop()) {
      consoleUser.page().context().grantPermissions(List.of("clipboard-read", "clipboard-write"));
      consoleUser.open("/meetings/" + bot.meeting(), key).isSettled();
      consoleUser.becomesTrue(
          "() => {" + AT_END + " return atEnd && box.innerText.includes('number 4999')}");
      assertThat(consoleUser.find(".said").count()).isLessThan(300);

      consoleUser.find(".transcript").focus();
      consoleUser.press("Home");
      consoleUser.sees(consoleUser.find(".transcript"), "number 0");
      assertThat(consoleUser.find(".said").first().isVisible()).isTrue();
      consoleUser.press("End");
      consoleUser.sees(consoleUser.find(".transcript"), "number 4999");

      consoleUser.press("/");
      consoleUser.type("number 2500");
      consoleUser.sees(consoleUser.find(".said-tools [role=status]"), "1 of 1");
      isInSight(consoleUser, "number 2500");
      consoleUser.page().keyboard().press("Control+a");
      consoleUser.type("NUMBER 49");
      consoleUser.sees(consoleUser.find(".said-tools [role=status]"), "1 of 111");
      isInSight(consoleUser, "number 49 ");
      consoleUser.press("Shift+Enter");
      consoleUser.sees(consoleUser.find(".said-tools [role=status]"), "111 of 111");
      isInSight(consoleUser, "number 4999");
      consoleUser.press("Enter");
      consoleUser.press("Enter");
      consoleUser.sees(consoleUser.find(".said-tools [role=status]"), "2 of 111");
      isInSight(consoleUser, "number 490 ");
      Axe.findsNothingSerious(consoleUser.page(), "a transcript that is searched");
      consoleUser.press("Escape");
      consoleUser.counts(consoleUser.find(".transcript mark"), 0);

      consoleUser.find(".transcript").focus();
      consoleUser.press("c");
      consoleUser.sees("5000 segments copied.");
      String copied = (String) consoleUser.page().evaluate("navigator.clipboard.readText()");
      assertThat(copied.lines()).hasSize(5000);
      assertThat(copied.lines().findFirst()).hasValue("[0:00] Ada: number 0 of many");
      assertThat(copied.lines().skip(2500).findFirst())
          .hasValue("[41:40] Ada: number 2500 of many");
      assertThat(copied).endsWith("[1:23:19] Bob: number 4999 of many\n");
      consoleUser.hadNoErrorsExcept();
    }
  }

  /** Waits until the found segment has this text and lies within the visible part of the box. */
  private static void isInSight(ConsoleUser consoleUser, String text) {
    consoleUser.becomesTrue(
        """
        () => {
          const box = document.querySelector('.transcript')?.getBoundingClientRect();
          const found = document.querySelector('.said[data-found]');
          const at = found?.getBoundingClientRect();
          return !!at && !!box && found.innerText.includes('%s') && at.top >= box.top && at.bottom <= box.bottom;
        }
        """
            .formatted(text));
  }

  private static String lines(int from, int to) {
    return IntStream.range(from, to)
        .mapToObj(i -> segment(i, "number " + i + " of many", i % 2 == 0 ? "Ada" : "Bob"))
        .collect(Collectors.joining(","));
  }

  private static String segment(int start, String text, String speaker) {
    return "{\"start\": %d, \"end\": %d.9, \"text\": \"%s\", \"speaker\": \"%s\"}"
        .formatted(start, start, text, speaker);
  }

  private static synchronized Bot bot(String room) throws Exception {
    long meeting =
        olivia
            .post(
                "/bots/start", "{\"platform\": \"daily\", \"native_meeting_id\": \"" + room + "\"}")
            .body()
            .path("id")
            .asLong();
    JsonNode config = JSON.readTree(Files.readString(pipe));
    assertThat(config.path("meeting_id").asLong()).isEqualTo(meeting);
    String connection = config.path("connection_id").asString();
    ApiUser api =
        new ApiUser(
            testServer.server().url(),
            Map.of("Authorization", "Bearer " + config.path("token").asString()));
    ApiUser.Reply started =
        api.post(
            "/callback/started",
            "{\"connection_id\": \"%s\", \"meeting_id\": %d}".formatted(connection, meeting));
    assertThat(started.status()).isEqualTo(200);
    return new Bot(meeting, connection, api);
  }

  private static ConsoleUser onDesktop() {
    return ConsoleUser.onDesktop(chromium.browser(), testServer.server().url(), ColorScheme.LIGHT);
  }
}
