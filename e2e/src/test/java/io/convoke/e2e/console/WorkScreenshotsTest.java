package io.convoke.e2e.console;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import io.convoke.e2e.journey.JourneyTestServer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** Takes the operator's pictures for the documentation: {@code -Dconvoke.pictures=true}. */
@Tag("pictures")
@EnabledIfSystemProperty(named = "convoke.pictures", matches = "true")
class WorkScreenshotsTest {
  private static final Path IMAGES = Path.of("..", "docs", "images");

  /** So long a chart has a shape. */
  private static final int A_WHILE_MS = 45_000;

  @Test
  void takesThem(@TempDir Path folder) throws Exception {
    try (Chromium chromium = Chromium.start();
        PodConsoleServer work =
            PodConsoleServer.open(
                folder,
                Map.of(
                    "CONVOKE_BOTS_STARTING_TIMEOUT",
                    "30s",
                    "CONVOKE_DISPATCH_TASK_TIMEOUT",
                    "90s"))) {
      work.pod("pod-7f3a", "eu-west-1", 6);
      work.pod("pod-b211", "eu-west-1", 6);
      work.pod("pod-19ce", "us-east-1", 4);
      for (String room : List.of("roadmap", "hiring", "northwind", "lyon", "stand-up")) {
        var _ = work.task(room, "snapshot", "eu-west-1");
      }
      for (String room : List.of("design-review", "board")) {
        var _ = work.task(room, "record", "us-east-1");
      }
      for (String room : List.of("closed-office", "closed-shop", "closed-bridge")) {
        var _ = work.awaitEvent("task.failed", "task:" + work.task(room, "snapshot", "us-east-1"));
      }
      for (String room : List.of("partner-call", "all-hands", "old-mill")) {
        var _ = work.task(room, "archive", "ap-south-1");
      }
      for (String room : List.of("roadmap", "hiring", "northwind")) {
        work.journeyServer.meet(room, "Maria Silva");
        long meeting = work.bot(room);
        var _ = work.awaitEvent("participant.joined", "meeting:" + meeting);
      }
      String url = work.journeyServer.server().url();
      try (ConsoleUser light = ConsoleUser.onDesktop(chromium.browser(), url, ColorScheme.LIGHT);
          ConsoleUser dark = ConsoleUser.onDesktop(chromium.browser(), url, ColorScheme.DARK);
          ConsoleUser phone = ConsoleUser.onPhone(chromium.browser(), url)) {
        var _ = light.operate("/dispatch", JourneyTestServer.ADMIN);
        light.counts(light.find(".slot-taken"), 7);
        shoot(light, "console-dispatch-light.png", false);
        var _ = dark.operate("/bots", JourneyTestServer.ADMIN);
        dark.counts(dark.find("[data-row]"), 3);
        shoot(dark, "console-bots-dark.png", false);
        var _ = phone.operate("/dispatch", JourneyTestServer.ADMIN);
        phone.counts(phone.find(".slot-taken"), 7);
        shoot(phone, "console-dispatch-phone.png", false);
        light.operate("/overview", JourneyTestServer.ADMIN).isSettled();
        light.page().setDefaultTimeout(2.0 * A_WHILE_MS);
        var _ = light.page().waitForFunction("least => performance.now() > least", A_WHILE_MS);
        shoot(light, "console-overview-light.png", false);
      }
    }
  }

  private static void shoot(ConsoleUser consoleUser, String name, boolean whole) {
    consoleUser.isSettled();
    consoleUser
        .page()
        .screenshot(new Page.ScreenshotOptions().setPath(IMAGES.resolve(name)).setFullPage(whole));
  }
}
