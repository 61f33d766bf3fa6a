package io.convoke.e2e.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import io.convoke.e2e.journey.JourneyTestServer;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Into the console and out of it, in a real browser: keys, links, cookies, tabs, and nobody there.
 */
class SignInTest {
  private static final String NETWORK = "Failed to load resource";

  /** Frames of 90 ms, in which everything happens that was asked for since the last. */
  private static final String LATE_FRAMES =
      """
      const due = [];
      window.requestAnimationFrame = (task) => due.push(task);
      window.cancelAnimationFrame = () => {};
      setInterval(() => due.splice(0).forEach((task) => task(performance.now())), 90);
      """;

  private static Chromium chromium;
  private static JourneyTestServer house;
  private static String key;

  @BeforeAll
  static void open(@TempDir Path folder) throws Exception {
    chromium = Chromium.start();
    house = JourneyTestServer.open(folder, Map.of());
    key = house.key("olivia@example.org");
  }

  @AfterAll
  static void close() {
    if (house != null) {
      house.close();
      chromium.close();
    }
  }

  @Test
  void onlyAKeyThatTheServerTakesOpensTheDoor() throws Exception {
    try (ConsoleUser consoleUser = atDesk()) {
      consoleUser.open("/meetings");
      consoleUser.find("input[name=secret]").fill("cvk_wrong");
      consoleUser.press("Enter");
      consoleUser.sees("This key is not accepted");

      consoleUser.find("input[name=secret]").fill(key);
      consoleUser.press("Enter");
      consoleUser.sees(consoleUser.find("h1"), "Meetings");
      consoleUser.isSettled();
      consoleUser.holdsNoSecret(key);
      consoleUser.page().reload();
      consoleUser.isSettled();
      consoleUser.hadNoTroubleBut(NETWORK);
    }
  }

  @Test
  void aPageThatIsOpenedWhileNobodyAnswersSaysSoAndIsThereOnceSomebodyDoes() throws Exception {
    try (ConsoleUser consoleUser = atDesk()) {
      consoleUser.open("/meetings", key).isSettled();
      consoleUser.page().route("**/session", route -> route.abort());
      consoleUser.page().reload();
      consoleUser.sees(consoleUser.find("h1"), "Convoke does not answer");
      consoleUser.sees("Convoke cannot be reached");
      Axe.findsNothingSerious(consoleUser.page(), "no answer");

      consoleUser.page().unroute("**/session");
      consoleUser.sees(consoleUser.find("h1"), "Meetings");
      consoleUser.isSettled();
      consoleUser.hadNoTroubleBut(NETWORK);
    }
  }

  /** What comes between a part's first drawing and the frame after it is shown all the same. */
  @Test
  void aPageWhoseFramesComeLateShowsWhatCameBeforeTheFirst() throws Exception {
    try (ConsoleUser consoleUser = atDesk()) {
      consoleUser.open("/meetings", key).isSettled();
      consoleUser.page().addInitScript(LATE_FRAMES);
      for (int i = 0; i < 5; i++) {
        consoleUser.page().reload();
        consoleUser.isSettled();
      }
      consoleUser.hadNoTroubleBut();
    }
  }

  @Test
  void whoSignedInByALinkStaysSoOverAReloadUntilSigningOut() throws Exception {
    try (ConsoleUser consoleUser = atDesk()) {
      consoleUser.open("/meetings", key);
      consoleUser.sees(consoleUser.find("h1"), "Meetings");
      consoleUser.isSettled();
      assertThat(consoleUser.page().url()).doesNotContain(key);
      consoleUser.holdsNoSecret(key);

      consoleUser.page().reload();
      consoleUser.sees(consoleUser.find("h1"), "Meetings");
      consoleUser.isSettled();
      consoleUser.hadNoTroubleBut();

      consoleUser.find("button[aria-label='Sign out']").click();
      consoleUser.sees("Sign in with");
      assertThat(consoleUser.page().context().cookies()).isEmpty();
      consoleUser.page().reload();
      consoleUser.sees("Sign in with");
      consoleUser.hadNoTroubleBut(NETWORK);
    }
  }

  @Test
  void whatOneTabDoesAtTheDoorTheOthersHear() throws Exception {
    try (ConsoleUser consoleUser = atDesk()) {
      consoleUser.open("/meetings", key).isSettled();
      Page other = consoleUser.page().context().newPage();
      other.navigate(house.server().url() + "/console/meetings");
      consoleUser.sees(other.locator(".linkstate"), "Live");

      other.locator("button[aria-label='Sign out']").click();
      consoleUser.sees("Sign in with");

      other.navigate(house.server().url() + "/console/meetings#admin=" + JourneyTestServer.ADMIN);
      consoleUser.sees(consoleUser.find("button[title='Signed in as admin. Sign out']"), "");
      consoleUser.isSettled();
      consoleUser.hadNoTroubleBut(NETWORK);
    }
  }

  @Test
  void aLinkWithAKeyThatIsNotTakenSaysSo() throws Exception {
    try (ConsoleUser consoleUser = atDesk()) {
      consoleUser.open("/meetings", "cvk_wrong");
      consoleUser.sees("The key of that link is not accepted.");
      assertThat(consoleUser.page().url()).doesNotContain("cvk_wrong");
      consoleUser.hadNoTroubleBut(NETWORK);
    }
  }

  @Test
  void aSessionThatIsGoneBringsTheDoorBack() throws Exception {
    try (ConsoleUser consoleUser = atDesk()) {
      consoleUser.open("/meetings", key).isSettled();
      consoleUser.page().context().clearCookies();
      consoleUser.press("g");
      consoleUser.press("b");
      consoleUser.sees("You are not signed in any more");
      consoleUser.sees("Sign in with");
      consoleUser.hadNoTroubleBut(NETWORK);
    }
  }

  private static ConsoleUser atDesk() {
    return ConsoleUser.atDesk(chromium.browser(), house.server().url(), ColorScheme.LIGHT);
  }
}
