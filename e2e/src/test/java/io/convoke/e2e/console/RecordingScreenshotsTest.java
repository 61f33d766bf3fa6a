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
        RecordingConsoleServer house = RecordingConsoleServer.open(folder, CALL, Map.of())) {
      long _ = done(house, "harbour-lane", "Call with Harbour Lane", "Elena Rossi");
      long _ = done(house, "lyon", "Customer call Lyon", "Carlos Mendes");
      var marek = house.caller(house.house.key("marek@example.org"));
      long _ = house.meeting("partners", "Partner meeting");
      long _ = house.meeting(marek, "partners", "Somebody else's");
      String unmatched = house.recorded("partners", "Ines Moreau", CALL);
      var _ = house.moved(unmatched, "unmatched");
      house.crm.idProperty(false);
      long _ = house.meeting("old-mill", "Call with Old Mill");
      String failed = house.recorded("old-mill", "Henrik Larsen", CALL);
      var _ = house.moved(failed, "failed");
      long _ = house.meeting("roadmap", "Roadmap");
      String _ = house.recording("roadmap", "Yuki Tanaka", CALL);
      String url = house.house.server().url();
      try (ConsoleUser light = ConsoleUser.atDesk(chromium.browser(), url, ColorScheme.LIGHT);
          ConsoleUser dark = ConsoleUser.atDesk(chromium.browser(), url, ColorScheme.DARK);
          ConsoleUser phone = ConsoleUser.onPhone(chromium.browser(), url)) {
        shoot(light.open("/recordings", house.key), "console-recordings-light.png", false);
        shoot(dark.open("/recordings/" + failed, house.key), "console-recording-dark.png", true);
        shoot(phone.open("/recordings", house.key), "console-recordings-phone.png", true);
      }
    }
  }

  private static long done(RecordingConsoleServer house, String room, String title, String name)
      throws Exception {
    long meeting = house.meeting(room, title);
    var _ = house.moved(house.recorded(room, name, CALL), "done");
    return meeting;
  }

  private static void shoot(ConsoleUser consoleUser, String name, boolean whole) {
    consoleUser.isSettled();
    consoleUser
        .page()
        .screenshot(new Page.ScreenshotOptions().setPath(IMAGES.resolve(name)).setFullPage(whole));
  }
}
