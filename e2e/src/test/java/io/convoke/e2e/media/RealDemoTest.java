package io.convoke.e2e.media;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Page;
import io.convoke.agent.Bot;
import io.convoke.e2e.build.ExampleBuild;
import io.convoke.e2e.console.Chromium;
import io.convoke.e2e.journey.ApiUser;
import io.convoke.e2e.journey.JourneyTestServer;
import io.convoke.engine.dispatch.TaskAttempt;
import io.convoke.engine.durable.Durable;
import io.convoke.fakes.transcribe.PocketsphinxTranscriber;
import io.convoke.simulator.script.ScenarioLoader;
import io.convoke.simulator.script.ScriptedMeeting;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * {@code ./convoke demo --real} prints links of a room that is recorded, the page of the bot's
 * meeting shows what happens there, the script's people meet in rooms of their own, and nothing is
 * left behind.
 */
@Tag("nightly")
@Tag("heavy")
@Timeout(900)
class RealDemoTest {
  private static final Duration SOON = Duration.ofMinutes(2);

  /** Until the first meeting of the script is over and processed. */
  private static final Duration MORNING = Duration.ofMinutes(8);

  private static final Pattern GUEST = Pattern.compile("guest +(http\\S+)");
  private static final Pattern KEY = Pattern.compile("API key +(\\S+)");
  private static final Pattern TOKEN = Pattern.compile("\"access_token\": \"([^\"]+)\"");
  private static final String HERS = "We sell the boat on Monday.";
  private static final String HIS = "It never rains in that desert.";

  @TempDir private static Path project;
  @TempDir private Path folder;

  @BeforeAll
  @Timeout(900)
  static void require() throws Exception {
    JanusMachine.require();
    ExampleBuild.packaged(
        "janus-bot",
        project,
        Map.of("agent", Bot.class, "dispatch", TaskAttempt.class, "durable", Durable.class));
  }

  private Optional<String> printed(Pattern pattern) {
    Matcher found = pattern.matcher(output());
    return found.find() ? Optional.of(found.group(1)) : Optional.empty();
  }

  private String output() {
    try {
      return Files.readString(folder.resolve("demo.out"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private List<ProcessHandle> ours() {
    return ProcessHandle.allProcesses()
        .filter(
            process ->
                process.info().arguments().stream()
                    .flatMap(Stream::of)
                    .anyMatch(
                        argument ->
                            argument.contains(folder.resolve("data").toString())
                                || argument.contains(project.toString())))
        .toList();
  }

  /** A transcriber of one speaker: a draft first, and then the words. */
  private Path transcriber() throws IOException {
    PocketsphinxTranscriber listener =
        PocketsphinxTranscriber.listeningFor(List.of(HERS, HIS), folder);
    Path script = folder.resolve("transcribe.sh");
    Files.writeString(
        script,
        """
        #!/bin/sh
        %s |
          while read -r words; do echo "~ ${words%%%% *}"; sleep 3; echo "$words"; done
        """
            .formatted(listener.live()));
    return Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private Process demo(String... options) throws IOException {
    Path home = Path.of("..").toAbsolutePath().normalize();
    List<String> command =
        new ArrayList<>(
            List.of(
                java(),
                "-Dconvoke.home=" + home,
                "-cp",
                home.resolve("demo/target/lib") + "/*",
                "io.convoke.demo.DemoCommand",
                "--real",
                "--port",
                "0",
                "--data",
                folder.resolve("data").toString()));
    command.addAll(List.of(options));
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve("demo.out").toFile())
        .start();
  }

  private static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  private void end(Process demo) throws InterruptedException {
    demo.destroy();
    assertThat(demo.waitFor(60, TimeUnit.SECONDS)).isTrue();
    JourneyTestServer.await("the end of its programs", SOON, () -> ours().isEmpty());
  }

  private String egress(ApiUser user, String kind) throws Exception {
    ApiUser.Reply made =
        user.post(
            "/tasks",
            """
            {"request_id": "%1$s-1", "type": "egress", "action": "start", "channel": "demo",
             "payload": {"kind": "%1$s", "access_token": "%2$s", "interval_in_ms": 2000}}
            """
                .formatted(kind, printed(TOKEN).orElseThrow()));
    assertThat(made.status()).as(made.body().toString()).isEqualTo(202);
    return made.body().path("id").asString();
  }

  @Test
  void thePageOfItsMeetingShowsWhatHappensInTheRoom() throws Exception {
    Process demo =
        demo(
            "--no-people",
            "--bot",
            "JANUS_BOT_TRANSCRIBER=%s JANUS_BOT_JAVA=%s exec sh %s"
                .formatted(transcriber(), java(), project.resolve("run.sh")));
    try (Chromium watcher = Chromium.forSpeech()) {
      JourneyTestServer.await(
          "the links", SOON, () -> !demo.isAlive() || printed(TOKEN).isPresent());
      String link = printed(GUEST).orElseThrow(() -> new AssertionError(output()));
      String key = printed(KEY).orElseThrow();
      String url = URI.create(link).resolve("/").toString().replaceAll("/$", "");
      ApiUser user = new ApiUser(url, Map.of("X-API-Key", key));
      try (SpokenRoom speakers = new SpokenRoom(url)) {
        speakers.join(link, "Ada", true);
        speakers.join(link, "Ben", true);
        JsonNode bot =
            user.post(
                    "/bots/start",
                    """
                    {"platform": "janus", "native_meeting_id": "demo", "bot_name": "Noter",
                     "meeting_url": "%s"}
                    """
                        .formatted(link))
                .body();
        String film = egress(user, "record");
        String pictures = egress(user, "snapshots");
        BrowserContext context = watcher.browser().newContext();
        Page page = context.newPage();
        page.setDefaultTimeout((double) SOON.toMillis());
        page.setViewportSize(1400, 1500);
        page.navigate(url + "/console/meetings/" + bot.path("id").asLong() + "#key=" + key);
        page.waitForSelector("[data-kind=snapshots]");
        // Those who speak, and the bot.
        page.waitForFunction("() => document.querySelectorAll('.lane-name').length >= 4");
        Object _ =
            page.evaluate(
                """
                () => {
                  window.drafts = new Set();
                  window.captions = new Set();
                  const look = () => {
                    for (const each of document.querySelectorAll('.captions p'))
                      (each.dataset.draft ? window.drafts : window.captions).add(each.innerText);
                  };
                  new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });
                }
                """);
        BotLog.awaitConnections(folder.resolve("data"), 2, SOON);
        speakers.say("Ada", HERS);
        speakers.say("Ben", HIS);
        page.waitForFunction(caption("Ada", "boat"));
        page.waitForFunction(caption("Ben", "desert"));
        assertThat((int) page.evaluate("() => window.drafts.size")).isPositive();
        page.waitForFunction(
            "() => new Set([...document.querySelectorAll('.spoken')].map((each) => each.getAttribute('y'))).size === 2");
        page.waitForFunction("() => document.querySelector('.egress img')?.naturalWidth === 1280");
        page.screenshot(
            new Page.ScreenshotOptions().setFullPage(true).setPath(shots().resolve("live.png")));

        for (String task : List.of(film, pictures)) {
          assertThat(user.post("/tasks/" + task + "/stop", "{}").status()).isLessThan(300);
        }
        page.waitForFunction("() => document.querySelector('.egress video')?.duration > 4");
        Object _ = page.evaluate("() => document.querySelector('.egress video').play()");
        page.waitForFunction("() => document.querySelector('.egress video').currentTime > 1");
        page.screenshot(
            new Page.ScreenshotOptions().setFullPage(true).setPath(shots().resolve("film.png")));
        context.close();
      }
      end(demo);
    } finally {
      var _ = demo.destroyForcibly();
      ours().forEach(ProcessHandle::destroyForcibly);
    }
  }

  @Test
  void theScriptsFirstMeetingIsHeardByTheBotFilmedAndInTheCrm() throws Exception {
    ScriptedMeeting meeting = ScenarioLoader.morning().meetings().getFirst();
    Map<String, List<String>> said =
        meeting.lines().stream()
            .collect(
                Collectors.groupingBy(
                    ScriptedMeeting.ScriptedLine::who,
                    LinkedHashMap::new,
                    Collectors.mapping(ScriptedMeeting.ScriptedLine::text, Collectors.toList())));
    Process demo = demo();
    try {
      for (String line : List.of("green check: the CRM has it", "its film is on the page")) {
        Pattern told = Pattern.compile(Pattern.quote(meeting.title()) + " +(" + line + ")");
        JourneyTestServer.await(line, MORNING, () -> !demo.isAlive() || printed(told).isPresent());
      }
      Pattern page = Pattern.compile(meeting.title() + ".*(http\\S+/console/meetings/\\d+)");
      URI bot = URI.create(printed(page).orElseThrow(() -> new AssertionError(output())));
      ApiUser user =
          new ApiUser(
              bot.resolve("/").toString().replaceAll("/$", ""),
              Map.of("X-API-Key", printed(KEY).orElseThrow()));
      List<SpokenLines.HeardLine> live =
          user.get("/transcripts/" + bot.getPath().replaceAll("\\D", ""))
              .body()
              .path("segments")
              .valueStream()
              .filter(it -> !it.path("session_uid").asString("").startsWith("recording:"))
              .map(
                  it ->
                      new SpokenLines.HeardLine(
                          it.path("speaker").asString(""), it.path("text").asString("")))
              .toList();
      assertThat(live)
          .extracting(SpokenLines.HeardLine::speaker)
          .containsOnly(said.keySet().toArray(String[]::new));
      assertThat(SpokenLines.errorRate(said, live)).as("%s", live).isLessThan(0.4);
      end(demo);
    } finally {
      var _ = demo.destroyForcibly();
      ours().forEach(ProcessHandle::destroyForcibly);
    }
  }

  /** Whether final words of this speaker were captions. */
  private static String caption(String name, String word) {
    return "() => [...window.captions].some((each) => each.startsWith('%s') && each.includes('%s'))"
        .formatted(name, word);
  }

  /** For people who look: the pages of the last run. */
  private static Path shots() throws IOException {
    return Files.createDirectories(Path.of("target", "real-demo"));
  }
}
