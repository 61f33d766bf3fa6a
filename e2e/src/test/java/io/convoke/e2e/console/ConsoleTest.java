package io.convoke.e2e.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.APIResponse;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Response;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.ColorScheme;
import io.convoke.e2e.journey.ApiUser;
import io.convoke.e2e.journey.JourneyTestServer;
import io.convoke.simulator.state.RoomRequest;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The console in a real browser, on a real server with simulated participants. */
@Tag("heavy")
class ConsoleTest {
  private static final String NETWORK = "Failed to load resource";

  private static Chromium chromium;
  private static JourneyTestServer testServer;
  private static String key;
  private static ApiUser olivia;

  @BeforeAll
  static void open(@TempDir Path folder) throws Exception {
    chromium = Chromium.start();
    testServer =
        JourneyTestServer.open(folder, Map.of("CONVOKE_PRESENCE_RECONCILE_INTERVAL", "4s"));
    key = testServer.key("olivia@example.org");
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
  void aJoinUpdatesTheRowWithoutAReload() throws Exception {
    long meeting = follow("planning", "Ada");
    try (ConsoleUser consoleUser = onDesktop()) {
      consoleUser.open("/meetings", key).isSettled();
      consoleUser.sees(consoleUser.row(meeting).locator(".cell-room"), "Live");
      consoleUser.sees(consoleUser.row(meeting).locator(".cell-people"), "1");
      consoleUser.page().evaluate("window.sameDocument = true");

      testServer.meet("planning", "Grace");

      consoleUser.sees(consoleUser.row(meeting).locator(".cell-people"), "2");
      assertThat(consoleUser.page().evaluate("window.sameDocument")).isEqualTo(true);
      consoleUser.hadNoErrorsExcept();
    }
  }

  @Test
  void aMeetingShowsItsParticipantsAndItsTimeline() throws Exception {
    long elsewhere = follow("elsewhere", "Zoe");
    long meeting = follow("retro", "Ada");
    testServer.meet("retro", "Grace");
    try (ConsoleUser consoleUser = onDesktop()) {
      consoleUser.open("/meetings/" + meeting, key).isSettled();
      consoleUser.counts(consoleUser.find(".lane-name"), 2);
      consoleUser.counts(consoleUser.find(".stay[data-open]"), 2);
      consoleUser.sees(consoleUser.find(".timeline"), "Grace joined");
      consoleUser.sees(consoleUser.find(".evidence"), "as of");

      testServer.meet("retro", "Linus");

      consoleUser.counts(consoleUser.find(".lane-name"), 3);
      consoleUser.sees(consoleUser.find(".timeline"), "Linus joined");
      consoleUser.sees(consoleUser.find(".present"), "Linus");
      consoleUser.counts(consoleUser.find(".people-chart canvas"), 1);

      consoleUser.find(".past input").focus();
      consoleUser.press("Home");
      consoleUser.sees(consoleUser.find(".past"), "none");
      consoleUser.counts(consoleUser.find(".timeline .entry"), 0);
      // Ada's arrival is before that of Grace and Linus; polls may be recorded before it.
      int shown = 0;
      do {
        consoleUser.press("ArrowRight");
        shown++;
        consoleUser.counts(consoleUser.find(".timeline .entry"), shown);
      } while (!consoleUser.find(".timeline").innerText().contains("Ada joined"));
      consoleUser.sees(consoleUser.find(".past"), "Ada");
      consoleUser.press("End");
      consoleUser.counts(consoleUser.find(".past .facts"), 0);
      consoleUser.sees(consoleUser.find(".timeline"), "Linus joined");

      consoleUser.find(".past input").focus();
      consoleUser.press("Home");
      consoleUser.sees(consoleUser.find(".past"), "none");
      consoleUser.press("Control+k");
      consoleUser.type("elsewhere");
      consoleUser.sees(consoleUser.find("[role=option]").first(), "elsewhere");
      consoleUser.press("Enter");
      consoleUser.isAt("/meetings/" + elsewhere);
      consoleUser.sees(consoleUser.find(".timeline"), "Zoe joined");
      consoleUser.hadNoErrorsExcept();
    }
  }

  @Tag("nightly")
  @Test
  void aBotIsSentAndCalledBackFromTheKeyboard() throws Exception {
    testServer.meet("customer-call", "Ada");
    try (ConsoleUser consoleUser = onDesktop()) {
      consoleUser.open("/meetings", key).isSettled();
      consoleUser.press("b");
      consoleUser.sees("Send a bot to a meeting");
      consoleUser.type("customer-call");
      consoleUser.press("Enter");
      consoleUser.isAt("/meetings/\\d+");
      consoleUser.sees(consoleUser.find(".botcard-state"), "active");
      consoleUser.counts(consoleUser.find(".lane-active"), 1);
      consoleUser.sees(consoleUser.find(".turn"), "Turn of");

      consoleUser.press("x");
      consoleUser.sees("Ask the bot to leave?");
      consoleUser.press("Enter");
      consoleUser.sees(consoleUser.find(".botcard-state"), "completed");
      consoleUser.sees(consoleUser.find(".meta"), "Ended");
      consoleUser.sees(consoleUser.find(".timeline"), "Bot has left");
      consoleUser.hadNoErrorsExcept();
    }
  }

  @Tag("nightly")
  @Test
  void theKeyboardReachesEverything() throws Exception {
    long meeting = follow("keyboard-club", "Ada");
    try (ConsoleUser consoleUser = onDesktop()) {
      consoleUser.open("/meetings?q=keyboard-club", key).isSettled();
      consoleUser.sees(consoleUser.row(meeting), "keyboard-club");

      consoleUser.press("?");
      consoleUser.sees(consoleUser.find("dialog"), "Next meeting");
      consoleUser.press("Escape");
      consoleUser.counts(consoleUser.find("dialog"), 0);

      consoleUser.press("j");
      consoleUser.counts(consoleUser.find("[data-chosen]"), 1);
      consoleUser.press("Enter");
      consoleUser.isAt("/meetings/" + meeting);
      consoleUser.sees(consoleUser.find("h1"), "keyboard-club");
      consoleUser.press("u");
      consoleUser.isAt("/meetings");

      consoleUser.press("Control+k");
      consoleUser.type("keyboard-cl");
      consoleUser.sees(consoleUser.find("[role=option]").first(), "keyboard-club");
      consoleUser.press("Enter");
      consoleUser.isAt("/meetings/" + meeting);
      consoleUser.hadNoErrorsExcept();
    }
  }

  /** What is behind a modal dialog takes no focus as long as it is there. */
  @Test
  void theFocusReturnsFromADialogToWhatHadIt() throws Exception {
    long meeting = follow("focus-group", "Ada");
    String onTheRow = "() => !!document.activeElement.closest('[data-row]')";
    try (ConsoleUser consoleUser = onDesktop()) {
      consoleUser.open("/meetings?q=focus-group", key).isSettled();
      consoleUser.sees(consoleUser.row(meeting), "focus-group");
      consoleUser.press("j");
      consoleUser.becomesTrue(onTheRow);
      for (String overlay : List.of("?", "b", "Control+k")) {
        consoleUser.press(overlay);
        consoleUser.counts(consoleUser.find("dialog[open]"), 1);
        consoleUser.press("Escape");
        consoleUser.counts(consoleUser.find("dialog"), 0);
        consoleUser.becomesTrue(onTheRow);
      }
      consoleUser.press("Control+k");
      consoleUser.type("send a bot");
      consoleUser.press("Enter");
      consoleUser.sees(consoleUser.find("dialog h2"), "Send a bot to a meeting");
      consoleUser.press("Escape");
      consoleUser.counts(consoleUser.find("dialog"), 0);
      consoleUser.becomesTrue(onTheRow);
      consoleUser.hadNoErrorsExcept();
    }
  }

  @Test
  @Tag("nightly")
  void anOpenPageReportsADeadServerAndRecoversByItself() throws Exception {
    long meeting = follow("all-hands", "Ada");
    try (ConsoleUser consoleUser = onDesktop()) {
      consoleUser.open("/meetings", key).isSettled();
      consoleUser.sees(consoleUser.row(meeting).locator(".cell-people"), "1");

      testServer.server().kill();
      consoleUser.sees(consoleUser.find(".stale"), "Live updates are interrupted");
      consoleUser.sees(consoleUser.find(".linkstate"), "Disconnected");
      consoleUser.sees(consoleUser.row(meeting).locator(".cell-room"), "Was live");
      assertThat(consoleUser.find(".side-rooms[data-stale], :root[data-stale]").count())
          .isPositive();

      testServer.meet("all-hands", "Grace");
      testServer.server().restart();

      consoleUser.sees(consoleUser.find(".linkstate"), "Live");
      consoleUser.counts(consoleUser.find(".stale"), 0);
      consoleUser.sees(consoleUser.row(meeting).locator(".cell-people"), "2");
      consoleUser.sees(consoleUser.row(meeting).locator(".cell-room"), "Live");
      consoleUser.hadNoErrorsExcept(NETWORK, "net::ERR");
    }
  }

  @Test
  @Tag("nightly")
  void axeFindsNothingSeriousOnAnyPage() throws Exception {
    axeFindsNothingSerious(ColorScheme.LIGHT);
  }

  @Tag("nightly")
  @Test
  void axeFindsNothingSeriousOnAnyDarkPage() throws Exception {
    axeFindsNothingSerious(ColorScheme.DARK);
  }

  private void axeFindsNothingSerious(ColorScheme scheme) throws Exception {
    long meeting = follow("open-door-" + scheme, "Ada");
    try (ConsoleUser consoleUser =
        ConsoleUser.onDesktop(chromium.browser(), testServer.server().url(), scheme)) {
      consoleUser.open("/meetings");
      consoleUser.sees("Sign in with");
      Axe.findsNothingSerious(consoleUser.page(), "sign-in");

      consoleUser.open("/meetings", key).isSettled();
      consoleUser.sees(consoleUser.row(meeting), "open-door-");
      Axe.findsNothingSerious(consoleUser.page(), "list");

      consoleUser.press("j");
      consoleUser.counts(consoleUser.find("[data-chosen]"), 1);
      Axe.findsNothingSerious(consoleUser.page(), "list, one chosen");
      for (String overlay : List.of("?", "b", "Control+k")) {
        consoleUser.press(overlay);
        consoleUser.counts(consoleUser.find("dialog[open]"), 1);
        Axe.findsNothingSerious(consoleUser.page(), "dialog of " + overlay);
        consoleUser.press("Escape");
        consoleUser.counts(consoleUser.find("dialog"), 0);
      }

      consoleUser.open("/meetings?show=ended&platform=zoom").isSettled();
      consoleUser.sees("No meetings here yet");
      Axe.findsNothingSerious(consoleUser.page(), "empty list");

      consoleUser.open("/meetings/" + meeting).isSettled();
      consoleUser.sees(consoleUser.find(".timeline"), "Ada joined");
      Axe.findsNothingSerious(consoleUser.page(), "meeting");

      consoleUser.page().context().setOffline(true);
      consoleUser.sees(consoleUser.find(".stale"), "Live updates are interrupted");
      Axe.findsNothingSerious(consoleUser.page(), "meeting, not live");
      consoleUser.page().context().setOffline(false);
      consoleUser.isSettled();

      consoleUser.open("/meetings/" + botIn("open-door-bot-" + scheme)).isSettled();
      consoleUser.sees(consoleUser.find(".botcard-state"), "active");
      Axe.findsNothingSerious(consoleUser.page(), "meeting with a bot");
      for (String overlay : List.of("x", "e")) {
        consoleUser.press(overlay);
        consoleUser.counts(consoleUser.find("dialog[open]"), 1);
        Axe.findsNothingSerious(consoleUser.page(), "dialog of " + overlay);
        consoleUser.press("Escape");
        consoleUser.counts(consoleUser.find("dialog"), 0);
      }
      consoleUser.press("x");
      consoleUser.press("Enter");
      consoleUser.sees(consoleUser.find(".botcard-state"), "completed");
      Axe.findsNothingSerious(consoleUser.page(), "meeting that is over");

      consoleUser.open("/meetings/999999");
      consoleUser.sees("There is no meeting 999999");
      Axe.findsNothingSerious(consoleUser.page(), "no meeting");

      consoleUser.open("/nowhere");
      consoleUser.sees("There is no page at this address");
      Axe.findsNothingSerious(consoleUser.page(), "no page");
      consoleUser.hadNoErrorsExcept(NETWORK, "net::ERR");
    }
  }

  @Tag("nightly")
  @Test
  void aPhoneShowsTheSameWithoutScrollingSideways() throws Exception {
    long meeting = follow("on-the-road", "Ada");
    try (ConsoleUser consoleUser =
        ConsoleUser.onPhone(chromium.browser(), testServer.server().url())) {
      consoleUser.open("/meetings", key).isSettled();
      consoleUser.sees(consoleUser.row(meeting), "on-the-road");
      consoleUser.seesNothingBeyondTheEdge();
      consoleUser.row(meeting).locator("a").tap();
      consoleUser.isAt("/meetings/" + meeting);
      consoleUser.sees(consoleUser.find(".timeline"), "Ada joined");
      consoleUser.seesNothingBeyondTheEdge();
      Axe.findsNothingSerious(consoleUser.page(), "meeting on a phone");
      consoleUser.hadNoErrorsExcept();
    }
  }

  @Test
  void theLongestIdOfARoomFitsOnAPhone() throws Exception {
    String id = "x".repeat(255);
    long meeting =
        olivia
            .post(
                "/meetings",
                """
                {"platform": "zoom", "native_meeting_id": "%s", "data": {"title": "Retro"}}
                """
                    .formatted(id))
            .body()
            .path("id")
            .asLong();
    try (ConsoleUser consoleUser =
        ConsoleUser.onPhone(chromium.browser(), testServer.server().url())) {
      consoleUser.open("/meetings/" + meeting, key).isSettled();
      consoleUser.sees(consoleUser.find(".meta code"), id);
      consoleUser.sees(consoleUser.find(".timeline"), "Followed from here on");
      consoleUser.seesNothingBeyondTheEdge();
      consoleUser.hadNoErrorsExcept();
    }
  }

  @Tag("nightly")
  @Test
  void eventsDuringAReloadOfTheListAreKept() throws Exception {
    long early = follow("early", "Ada");
    try (ConsoleUser consoleUser = onDesktop()) {
      consoleUser.open("/meetings?show=all", key).isSettled();
      consoleUser.sees(consoleUser.row(early), "early");
      List<Route> fetches = new ArrayList<>();
      consoleUser.page().route(url -> url.contains("/meetings?limit"), fetches::add);
      consoleUser.page().context().setOffline(true);
      consoleUser.sees(consoleUser.find(".stale"), "Live updates are interrupted");
      consoleUser.page().context().setOffline(false);
      consoleUser.page().waitForCondition(() -> !fetches.isEmpty());
      APIResponse old = fetches.getFirst().fetch();

      long late = follow("late", "Grace");
      consoleUser.sees(consoleUser.row(late), "late");
      String renamed = old.text().replace("\"early\"", "\"renamed\"");
      fetches.forEach(
          fetch -> fetch.fulfill(new Route.FulfillOptions().setResponse(old).setBody(renamed)));

      consoleUser.sees(consoleUser.row(early), "renamed");
      consoleUser.sees(consoleUser.row(late), "late");
      consoleUser.hadNoErrorsExcept(NETWORK, "net::ERR");
    }
  }

  /** A browser gives all tabs of a host six connections. */
  @Tag("nightly")
  @Test
  void sixHiddenTabsLeaveTheSeventhItsConnections() throws Exception {
    long meeting = botIn("many-tabs");
    try (ConsoleUser consoleUser = onDesktop()) {
      Page first = consoleUser.page();
      consoleUser.open("/meetings/" + meeting, key).isSettled();
      consoleUser.sees(consoleUser.find(".botcard-state"), "active");
      setHidden(first, true);
      for (int more = 1; more < 6; more++) {
        Page tab = first.context().newPage();
        tab.navigate(testServer.server().url() + "/console/meetings");
        consoleUser.sees(tab.locator(".linkstate"), "Live");
        setHidden(tab, true);
      }

      Page seventh = first.context().newPage();
      seventh.navigate(testServer.server().url() + "/console/meetings/" + meeting);
      consoleUser.sees(seventh.locator(".linkstate"), "Live");
      consoleUser.sees(seventh.locator(".botcard-state"), "active");
      seventh.keyboard().press("x");
      consoleUser.sees(seventh.locator("dialog"), "Ask the bot to leave?");
      Response stopped =
          seventh.waitForResponse(
              "**/bots/stop",
              new Page.WaitForResponseOptions().setTimeout(5000),
              () -> seventh.keyboard().press("Enter"));
      assertThat(stopped.ok()).isTrue();
      consoleUser.sees(seventh.locator(".botcard-state"), "completed");

      consoleUser.sees(consoleUser.find(".botcard-state"), "active");
      setHidden(first, false);
      consoleUser.sees(consoleUser.find(".linkstate"), "Live");
      consoleUser.sees(consoleUser.find(".botcard-state"), "completed");
      consoleUser.hadNoErrorsExcept();
    }
  }

  @Tag("nightly")
  @Test
  void aTabThatIsOpenedHiddenShowsItsDataAndIsLiveOnceItIsShown() throws Exception {
    long meeting = follow("in-the-background", "Ada");
    try (ConsoleUser consoleUser = onDesktop()) {
      consoleUser
          .page()
          .addInitScript(
              "Object.defineProperty(document, 'hidden', { configurable: true, value: true });");
      consoleUser.open("/meetings", key);
      consoleUser.sees(consoleUser.row(meeting).locator(".cell-people"), "1");
      consoleUser.sees(consoleUser.find(".linkstate"), "Disconnected");

      testServer.meet("in-the-background", "Grace");
      setHidden(consoleUser.page(), false);
      consoleUser.isSettled();
      consoleUser.sees(consoleUser.row(meeting).locator(".cell-people"), "2");
      consoleUser.hadNoErrorsExcept();
    }
  }

  /** Makes a page take itself for hidden, or for shown again; without windows none is hidden. */
  private static void setHidden(Page page, boolean hidden) {
    var _ =
        page.evaluate(
            """
            (hidden) => {
              Object.defineProperty(document, 'hidden', { configurable: true, value: hidden });
              document.dispatchEvent(new Event('visibilitychange'));
            }
            """,
            hidden);
  }

  private static ConsoleUser onDesktop() {
    return ConsoleUser.onDesktop(chromium.browser(), testServer.server().url(), ColorScheme.LIGHT);
  }

  /** A meeting with a bot that is joining, and a participant. */
  private static long botIn(String room) throws Exception {
    testServer.meet(room, "Ada");
    return olivia
        .post("/bots/start", "{\"platform\": \"daily\", \"native_meeting_id\": \"" + room + "\"}")
        .body()
        .path("id")
        .asLong();
  }

  /** A meeting that is tracked without a bot, with one participant that the server has detected. */
  private static long follow(String room, String name) throws Exception {
    // A client that requests a missing room gets an error, and the timeline shows it.
    var _ = testServer.simulator().world().ensure(RoomRequest.named(room));
    long meeting =
        olivia
            .post("/meetings", "{\"platform\": \"daily\", \"native_meeting_id\": \"" + room + "\"}")
            .body()
            .path("id")
            .asLong();
    testServer.meet(room, name);
    var _ =
        olivia.await(
            0,
            event ->
                event.path("type").asString().equals("participant.joined")
                    && event.path("data").path("meeting_id").asLong() == meeting);
    return meeting;
  }
}
