package io.convoke.e2e.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import io.convoke.e2e.journey.ApiUser;
import io.convoke.e2e.journey.JourneyTestServer;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Sign-in and sign-out of the console in a real browser: keys, links, cookies, tabs, and an
 * unreachable server.
 */
@Tag("heavy")
@Tag("nightly")
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
  private static JourneyTestServer testServer;
  private static String key;

  @BeforeAll
  static void open(@TempDir Path folder) throws Exception {
    chromium = Chromium.start();
    testServer = JourneyTestServer.open(folder, Map.of());
    key = testServer.key("olivia@example.org");
  }

  @AfterAll
  static void close() {
    if (testServer != null) {
      testServer.close();
      chromium.close();
    }
  }

  @Test
  void onlyAKeyThatTheServerTakesOpensTheDoor() throws Exception {
    try (ConsoleUser consoleUser = onDesktop()) {
      consoleUser.open("/meetings");
      consoleUser.find("input[name=secret]").fill("cvk_wrong");
      consoleUser.press("Enter");
      consoleUser.sees("This key is not accepted");

      consoleUser.find("input[name=secret]").fill(key);
      consoleUser.press("Enter");
      consoleUser.sees(consoleUser.find("h1"), "Meetings");
      consoleUser.isSettled();
      consoleUser.exposesNoSecret(key);
      consoleUser.page().reload();
      consoleUser.isSettled();
      consoleUser.hadNoErrorsExcept(NETWORK);
    }
  }

  @Test
  void aPageOpenedWhileTheServerIsDownSaysSoAndLoadsOnceItIsUp() throws Exception {
    try (ConsoleUser consoleUser = onDesktop()) {
      consoleUser.open("/meetings", key).isSettled();
      consoleUser.page().route("**/session", route -> route.abort());
      consoleUser.page().reload();
      consoleUser.sees(consoleUser.find("h1"), "Convoke does not answer");
      consoleUser.sees("Convoke cannot be reached");
      Axe.findsNothingSerious(consoleUser.page(), "no answer");

      consoleUser.page().unroute("**/session");
      consoleUser.sees(consoleUser.find("h1"), "Meetings");
      consoleUser.isSettled();
      consoleUser.hadNoErrorsExcept(NETWORK);
    }
  }

  /** Updates between a part's first drawing and the frame after it are shown all the same. */
  @Test
  void aPageWithLateFramesShowsUpdatesFromBeforeTheFirstFrame() throws Exception {
    try (ConsoleUser consoleUser = onDesktop()) {
      consoleUser.open("/meetings", key).isSettled();
      consoleUser.page().addInitScript(LATE_FRAMES);
      for (int i = 0; i < 5; i++) {
        consoleUser.page().reload();
        consoleUser.isSettled();
      }
      consoleUser.hadNoErrorsExcept();
    }
  }

  @Test
  void aSignInByLinkLastsOverAReloadUntilSignOut() throws Exception {
    try (ConsoleUser consoleUser = onDesktop()) {
      consoleUser.open("/meetings", key);
      consoleUser.sees(consoleUser.find("h1"), "Meetings");
      consoleUser.isSettled();
      assertThat(consoleUser.page().url()).doesNotContain(key);
      consoleUser.exposesNoSecret(key);

      consoleUser.page().reload();
      consoleUser.sees(consoleUser.find("h1"), "Meetings");
      consoleUser.isSettled();
      consoleUser.hadNoErrorsExcept();

      consoleUser.find("button[aria-label='Sign out']").click();
      consoleUser.sees("Sign in with");
      assertThat(consoleUser.page().context().cookies()).isEmpty();
      consoleUser.page().reload();
      consoleUser.sees("Sign in with");
      consoleUser.hadNoErrorsExcept(NETWORK);
    }
  }

  @Test
  void signInAndSignOutReachTheOtherTabs() throws Exception {
    try (ConsoleUser consoleUser = onDesktop()) {
      consoleUser.open("/meetings", key).isSettled();
      Page other = consoleUser.page().context().newPage();
      other.navigate(testServer.server().url() + "/console/meetings");
      consoleUser.sees(other.locator(".linkstate"), "Live");

      other.locator("button[aria-label='Sign out']").click();
      consoleUser.sees("Sign in with");

      other.navigate(
          testServer.server().url() + "/console/meetings#admin=" + JourneyTestServer.ADMIN);
      consoleUser.sees(consoleUser.find("button[title='Signed in as admin. Sign out']"), "");
      consoleUser.isSettled();
      consoleUser.hadNoErrorsExcept(NETWORK);
    }
  }

  @Test
  void aLinkWithAnInvalidKeySaysSo() throws Exception {
    try (ConsoleUser consoleUser = onDesktop()) {
      consoleUser.open("/meetings", "cvk_wrong");
      consoleUser.sees("The key of that link is not accepted.");
      assertThat(consoleUser.page().url()).doesNotContain("cvk_wrong");
      consoleUser.hadNoErrorsExcept(NETWORK);
    }
  }

  @Test
  void anExpiredSessionShowsTheSignInPage() throws Exception {
    try (ConsoleUser consoleUser = onDesktop()) {
      consoleUser.open("/meetings", key).isSettled();
      consoleUser.page().context().clearCookies();
      consoleUser.press("g");
      consoleUser.press("b");
      consoleUser.sees("You are not signed in any more");
      consoleUser.sees("Sign in with");
      consoleUser.hadNoErrorsExcept(NETWORK);
    }
  }

  @Test
  void aKeyThatMayNotReadEventsShowsItsMeetingsAndSaysWhatIsMissing() throws Exception {
    ApiUser admin = testServer.admin();
    long nora =
        admin.post("/admin/users", "{\"email\": \"nora@example.org\"}").body().path("id").asLong();
    String narrow =
        admin
            .post("/admin/users/" + nora + "/tokens", "{\"scopes\": [\"meetings\"]}")
            .body()
            .path("token")
            .asString();
    ApiUser user = new ApiUser(testServer.server().url(), Map.of("X-API-Key", narrow));
    long first = follow(user, "first-room");
    try (ConsoleUser consoleUser = onDesktop()) {
      consoleUser.open("/meetings", narrow);
      consoleUser.sees(consoleUser.find(".stale"), "This needs a key with the scope read.");
      consoleUser.sees(consoleUser.find(".linkstate"), "Disconnected");
      consoleUser.sees(consoleUser.row(first), "first-room");
      Axe.findsNothingSerious(consoleUser.page(), "without events");

      long second = follow(user, "second-room");
      consoleUser.sees(consoleUser.row(second), "second-room");
      consoleUser.hadNoErrorsExcept(NETWORK);
    }
  }

  /** A meeting with one person in it, which is tracked without a bot. */
  private static long follow(ApiUser user, String room) throws Exception {
    testServer.meet(room, "Ada");
    return user.post(
            "/meetings", "{\"platform\": \"daily\", \"native_meeting_id\": \"" + room + "\"}")
        .body()
        .path("id")
        .asLong();
  }

  private static ConsoleUser onDesktop() {
    return ConsoleUser.onDesktop(chromium.browser(), testServer.server().url(), ColorScheme.LIGHT);
  }
}
