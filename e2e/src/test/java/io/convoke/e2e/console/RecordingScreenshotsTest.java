package io.convoke.e2e.console;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** Takes the pictures of recordings for the documentation: {@code -Dconvoke.pictures=true}. */
@Tag("pictures")
@EnabledIfSystemProperty(named = "convoke.pictures", matches = "true")
class RecordingScreenshotsTest {
  private static final Path IMAGES = Path.of("..", "docs", "images");
  private static final List<String> CALL =
      List.of(
          "Good morning everybody.",
          "We have used the trial for two weeks now.",
          "How did the trial go?",
          "The team likes it. Two things are missing for us.",
          "An export to our own archive, and roles for the branch offices.",
          "The export exists, I will show it to you. Roles come in spring.",
          "Thank you for your time. Until next week.");

  @Test
  void takesThem(@TempDir Path folder) throws Exception {
    try (Chromium chromium = Chromium.start();
        RecordingConsoleServer testServer = RecordingConsoleServer.open(folder, CALL, Map.of())) {
      long _ = done(testServer, "harbour-lane", "Call with Harbour Lane", "Elena Rossi");
      long _ = done(testServer, "lyon", "Customer call Lyon", "Carlos Mendes");
      long _ = testServer.meeting("partners", "Partner meeting");
      testServer.share("partners");
      String unmatched = testServer.recorded("partners", "Ines Moreau", CALL);
      var _ = testServer.moved(unmatched, "unmatched");
      testServer.crm.idProperty(false);
      long _ = testServer.meeting("old-mill", "Call with Old Mill");
      String failed = testServer.recorded("old-mill", "Henrik Larsen", CALL);
      var _ = testServer.moved(failed, "failed");
      long _ = testServer.meeting("roadmap", "Roadmap");
      String _ = testServer.recording("roadmap", "Yuki Tanaka", CALL);
      String url = testServer.journeyServer.server().url();
      try (ConsoleUser light = ConsoleUser.onDesktop(chromium.browser(), url, ColorScheme.LIGHT);
          ConsoleUser dark = ConsoleUser.onDesktop(chromium.browser(), url, ColorScheme.DARK);
          ConsoleUser phone = ConsoleUser.onPhone(chromium.browser(), url)) {
        shoot(light.open("/recordings", testServer.key), "console-recordings-light.png", false);
        shoot(
            dark.open("/recordings/" + failed, testServer.key), "console-recording-dark.png", true);
        shoot(phone.open("/recordings", testServer.key), "console-recordings-phone.png", true);
      }
    }
  }

  private static long done(
      RecordingConsoleServer testServer, String room, String title, String name) throws Exception {
    long meeting = testServer.meeting(room, title);
    var _ = testServer.moved(testServer.recorded(room, name, CALL), "done");
    return meeting;
  }

  private static void shoot(ConsoleUser consoleUser, String name, boolean whole) {
    consoleUser.isSettled();
    consoleUser
        .page()
        .screenshot(new Page.ScreenshotOptions().setPath(IMAGES.resolve(name)).setFullPage(whole));
  }
}
