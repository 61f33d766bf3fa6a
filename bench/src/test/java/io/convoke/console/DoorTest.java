package io.convoke.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import io.convoke.journey.House;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Into the console and out of it, in a real browser: keys, links, cookies, tabs, and nobody there.
 */
class DoorTest {
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
  private static House house;
  private static String key;

  @BeforeAll
  static void open(@TempDir Path folder) throws Exception {
    chromium = Chromium.start();
    house = House.open(folder, Map.of());
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
    try (Reader reader = atDesk()) {
      reader.open("/meetings");
      reader.find("input[name=secret]").fill("cvk_wrong");
      reader.press("Enter");
      reader.sees("This key is not accepted");

      reader.find("input[name=secret]").fill(key);
      reader.press("Enter");
      reader.sees(reader.find("h1"), "Meetings");
      reader.isSettled();
      reader.holdsNoSecret(key);
      reader.page().reload();
      reader.isSettled();
      reader.hadNoTroubleBut(NETWORK);
    }
  }

  @Test
  void aPageThatIsOpenedWhileNobodyAnswersSaysSoAndIsThereOnceSomebodyDoes() throws Exception {
    try (Reader reader = atDesk()) {
      reader.open("/meetings", key).isSettled();
      reader.page().route("**/session", route -> route.abort());
      reader.page().reload();
      reader.sees(reader.find("h1"), "Convoke does not answer");
      reader.sees("Convoke cannot be reached");
      Axe.findsNothingSerious(reader.page(), "no answer");

      reader.page().unroute("**/session");
      reader.sees(reader.find("h1"), "Meetings");
      reader.isSettled();
      reader.hadNoTroubleBut(NETWORK);
    }
  }

  /** What comes between a part's first drawing and the frame after it is shown all the same. */
  @Test
  void aPageWhoseFramesComeLateShowsWhatCameBeforeTheFirst() throws Exception {
    try (Reader reader = atDesk()) {
      reader.open("/meetings", key).isSettled();
      reader.page().addInitScript(LATE_FRAMES);
      for (int i = 0; i < 5; i++) {
        reader.page().reload();
        reader.isSettled();
      }
      reader.hadNoTroubleBut();
    }
  }

  @Test
  void whoSignedInByALinkStaysSoOverAReloadUntilSigningOut() throws Exception {
    try (Reader reader = atDesk()) {
      reader.open("/meetings", key);
      reader.sees(reader.find("h1"), "Meetings");
      reader.isSettled();
      assertThat(reader.page().url()).doesNotContain(key);
      reader.holdsNoSecret(key);

      reader.page().reload();
      reader.sees(reader.find("h1"), "Meetings");
      reader.isSettled();
      reader.hadNoTroubleBut();

      reader.find("button[aria-label='Sign out']").click();
      reader.sees("Sign in with");
      assertThat(reader.page().context().cookies()).isEmpty();
      reader.page().reload();
      reader.sees("Sign in with");
      reader.hadNoTroubleBut(NETWORK);
    }
  }

  @Test
  void whatOneTabDoesAtTheDoorTheOthersHear() throws Exception {
    try (Reader reader = atDesk()) {
      reader.open("/meetings", key).isSettled();
      Page other = reader.page().context().newPage();
      other.navigate(house.server().url() + "/console/meetings");
      reader.sees(other.locator(".linkstate"), "Live");

      other.locator("button[aria-label='Sign out']").click();
      reader.sees("Sign in with");

      other.navigate(house.server().url() + "/console/meetings#admin=" + House.ADMIN);
      reader.sees(reader.find("button[title='Signed in as admin. Sign out']"), "");
      reader.isSettled();
      reader.hadNoTroubleBut(NETWORK);
    }
  }

  @Test
  void aLinkWithAKeyThatIsNotTakenSaysSo() throws Exception {
    try (Reader reader = atDesk()) {
      reader.open("/meetings", "cvk_wrong");
      reader.sees("The key of that link is not accepted.");
      assertThat(reader.page().url()).doesNotContain("cvk_wrong");
      reader.hadNoTroubleBut(NETWORK);
    }
  }

  @Test
  void aSessionThatIsGoneBringsTheDoorBack() throws Exception {
    try (Reader reader = atDesk()) {
      reader.open("/meetings", key).isSettled();
      reader.page().context().clearCookies();
      reader.press("g");
      reader.press("b");
      reader.sees("You are not signed in any more");
      reader.sees("Sign in with");
      reader.hadNoTroubleBut(NETWORK);
    }
  }

  private static Reader atDesk() {
    return Reader.atDesk(chromium.browser(), house.server().url(), ColorScheme.LIGHT);
  }
}
