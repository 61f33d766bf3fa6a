package io.convoke.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.APIResponse;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.ColorScheme;
import io.convoke.journey.Caller;
import io.convoke.journey.House;
import io.convoke.lab.sim.world.RoomRequest;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The console in a real browser, on a real server with simulated people. */
class ConsoleTest {
  private static final String NETWORK = "Failed to load resource";

  private static Chromium chromium;
  private static House house;
  private static String key;
  private static Caller olivia;

  @BeforeAll
  static void open(@TempDir Path folder) throws Exception {
    chromium = Chromium.start();
    house = House.open(folder, Map.of("CONVOKE_PRESENCE_RECONCILE_INTERVAL", "4s"));
    key = house.key("olivia@example.org");
    olivia = new Caller(house.server().url(), Map.of("X-API-Key", key));
  }

  @AfterAll
  static void close() {
    if (house != null) {
      house.close();
      chromium.close();
    }
  }

  @Test
  void somebodyComesAndTheRowCountsOneMoreWithoutAReload() throws Exception {
    long meeting = follow("planning", "Ada");
    try (Reader reader = atDesk()) {
      reader.open("/meetings", key).isSettled();
      reader.sees(reader.row(meeting).locator(".cell-room"), "Live");
      reader.sees(reader.row(meeting).locator(".cell-people"), "1");
      reader.page().evaluate("window.sameDocument = true");

      house.meet("planning", "Grace");

      reader.sees(reader.row(meeting).locator(".cell-people"), "2");
      assertThat(reader.page().evaluate("window.sameDocument")).isEqualTo(true);
      reader.hadNoTroubleBut();
    }
  }

  @Test
  void oneMeetingShowsWhoWasThereWhenAndWhatHappened() throws Exception {
    long elsewhere = follow("elsewhere", "Zoe");
    long meeting = follow("retro", "Ada");
    house.meet("retro", "Grace");
    try (Reader reader = atDesk()) {
      reader.open("/meetings/" + meeting, key).isSettled();
      reader.counts(reader.find(".lane-name"), 2);
      reader.counts(reader.find(".stay[data-open]"), 2);
      reader.sees(reader.find(".timeline"), "Grace joined");
      reader.sees(reader.find(".evidence"), "as of");

      house.meet("retro", "Linus");

      reader.counts(reader.find(".lane-name"), 3);
      reader.sees(reader.find(".timeline"), "Linus joined");
      reader.sees(reader.find(".present"), "Linus");
      reader.counts(reader.find(".people-chart canvas"), 1);

      reader.find(".past input").focus();
      reader.press("Home");
      reader.sees(reader.find(".past"), "nobody");
      reader.counts(reader.find(".timeline .entry"), 0);
      for (int i = 0; i < 2; i++) {
        reader.press("ArrowRight");
      }
      reader.counts(reader.find(".timeline .entry"), 2);
      reader.sees(reader.find(".past"), "Ada");
      reader.press("End");
      reader.counts(reader.find(".past .facts"), 0);
      reader.sees(reader.find(".timeline"), "Linus joined");

      reader.find(".past input").focus();
      reader.press("Home");
      reader.sees(reader.find(".past"), "nobody");
      reader.press("Control+k");
      reader.type("elsewhere");
      reader.sees(reader.find("[role=option]").first(), "elsewhere");
      reader.press("Enter");
      reader.isAt("/meetings/" + elsewhere);
      reader.sees(reader.find(".timeline"), "Zoe joined");
      reader.hadNoTroubleBut();
    }
  }

  @Test
  void aBotIsSentAndCalledBackFromTheKeyboard() throws Exception {
    house.meet("customer-call", "Ada");
    try (Reader reader = atDesk()) {
      reader.open("/meetings", key).isSettled();
      reader.press("b");
      reader.sees("Send a bot to a meeting");
      reader.type("customer-call");
      reader.press("Enter");
      reader.isAt("/meetings/\\d+");
      reader.sees(reader.find(".botcard-state"), "active");
      reader.counts(reader.find(".lane-active"), 1);
      reader.sees(reader.find(".turn"), "Turn of");

      reader.press("x");
      reader.sees("Ask the bot to leave?");
      reader.press("Enter");
      reader.sees(reader.find(".botcard-state"), "completed");
      reader.sees(reader.find(".meta"), "Ended");
      reader.sees(reader.find(".timeline"), "Bot has left");
      reader.hadNoTroubleBut();
    }
  }

  @Test
  void theKeyboardReachesEverything() throws Exception {
    long meeting = follow("keyboard-club", "Ada");
    try (Reader reader = atDesk()) {
      reader.open("/meetings?q=keyboard-club", key).isSettled();
      reader.sees(reader.row(meeting), "keyboard-club");

      reader.press("?");
      reader.sees(reader.find("dialog"), "Next meeting");
      reader.press("Escape");
      reader.counts(reader.find("dialog"), 0);

      reader.press("j");
      reader.counts(reader.find("[data-chosen]"), 1);
      reader.press("Enter");
      reader.isAt("/meetings/" + meeting);
      reader.sees(reader.find("h1"), "keyboard-club");
      reader.press("u");
      reader.isAt("/meetings");

      reader.press("Control+k");
      reader.type("keyboard-cl");
      reader.sees(reader.find("[role=option]").first(), "keyboard-club");
      reader.press("Enter");
      reader.isAt("/meetings/" + meeting);
      reader.hadNoTroubleBut();
    }
  }

  @Test
  void aServerThatDiesUnderAnOpenPageIsSaidAndThePageRecoversByItself() throws Exception {
    long meeting = follow("all-hands", "Ada");
    try (Reader reader = atDesk()) {
      reader.open("/meetings", key).isSettled();
      reader.sees(reader.row(meeting).locator(".cell-people"), "1");

      house.server().kill();
      reader.sees(reader.find(".stale"), "Live updates are interrupted");
      reader.sees(reader.find(".linkstate"), "Disconnected");
      reader.sees(reader.row(meeting).locator(".cell-room"), "Was live");
      assertThat(reader.find(".side-rooms[data-stale], :root[data-stale]").count()).isPositive();

      house.meet("all-hands", "Grace");
      house.server().restart();

      reader.sees(reader.find(".linkstate"), "Live");
      reader.counts(reader.find(".stale"), 0);
      reader.sees(reader.row(meeting).locator(".cell-people"), "2");
      reader.sees(reader.row(meeting).locator(".cell-room"), "Live");
      reader.hadNoTroubleBut(NETWORK, "net::ERR");
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = ColorScheme.class,
      names = {"LIGHT", "DARK"})
  void axeFindsNothingSeriousOnAnyPage(ColorScheme scheme) throws Exception {
    long meeting = follow("open-door-" + scheme, "Ada");
    try (Reader reader = Reader.atDesk(chromium.browser(), house.server().url(), scheme)) {
      reader.open("/meetings");
      reader.sees("Sign in with");
      Axe.findsNothingSerious(reader.page(), "sign-in");

      reader.open("/meetings", key).isSettled();
      reader.sees(reader.row(meeting), "open-door-");
      Axe.findsNothingSerious(reader.page(), "list");

      reader.press("j");
      reader.counts(reader.find("[data-chosen]"), 1);
      Axe.findsNothingSerious(reader.page(), "list, one chosen");
      for (String overlay : List.of("?", "b", "Control+k")) {
        reader.press(overlay);
        reader.counts(reader.find("dialog[open]"), 1);
        Axe.findsNothingSerious(reader.page(), "dialog of " + overlay);
        reader.press("Escape");
        reader.counts(reader.find("dialog"), 0);
      }

      reader.open("/meetings?show=ended&platform=zoom").isSettled();
      reader.sees("No meetings here yet");
      Axe.findsNothingSerious(reader.page(), "empty list");

      reader.open("/meetings/" + meeting).isSettled();
      reader.sees(reader.find(".timeline"), "Ada joined");
      Axe.findsNothingSerious(reader.page(), "meeting");

      reader.page().context().setOffline(true);
      reader.sees(reader.find(".stale"), "Live updates are interrupted");
      Axe.findsNothingSerious(reader.page(), "meeting, not live");
      reader.page().context().setOffline(false);
      reader.isSettled();

      reader.open("/meetings/" + botIn("open-door-bot-" + scheme)).isSettled();
      reader.sees(reader.find(".botcard-state"), "active");
      Axe.findsNothingSerious(reader.page(), "meeting with a bot");
      for (String overlay : List.of("x", "e")) {
        reader.press(overlay);
        reader.counts(reader.find("dialog[open]"), 1);
        Axe.findsNothingSerious(reader.page(), "dialog of " + overlay);
        reader.press("Escape");
        reader.counts(reader.find("dialog"), 0);
      }
      reader.press("x");
      reader.press("Enter");
      reader.sees(reader.find(".botcard-state"), "completed");
      Axe.findsNothingSerious(reader.page(), "meeting that is over");

      reader.open("/meetings/999999");
      reader.sees("There is no meeting 999999");
      Axe.findsNothingSerious(reader.page(), "no meeting");

      reader.open("/nowhere");
      reader.sees("There is no page at this address");
      Axe.findsNothingSerious(reader.page(), "no page");
      reader.hadNoTroubleBut(NETWORK, "net::ERR");
    }
  }

  @Test
  void aPhoneShowsTheSameWithoutScrollingSideways() throws Exception {
    long meeting = follow("on-the-road", "Ada");
    try (Reader reader = Reader.onPhone(chromium.browser(), house.server().url())) {
      reader.open("/meetings", key).isSettled();
      reader.sees(reader.row(meeting), "on-the-road");
      reader.seesNothingBeyondTheEdge();
      reader.row(meeting).locator("a").tap();
      reader.isAt("/meetings/" + meeting);
      reader.sees(reader.find(".timeline"), "Ada joined");
      reader.seesNothingBeyondTheEdge();
      Axe.findsNothingSerious(reader.page(), "meeting on a phone");
      reader.hadNoTroubleBut();
    }
  }

  @Test
  void whatCameWhileTheListWasFetchedAgainStays() throws Exception {
    long early = follow("early", "Ada");
    try (Reader reader = atDesk()) {
      reader.open("/meetings?show=all", key).isSettled();
      reader.sees(reader.row(early), "early");
      List<Route> fetches = new ArrayList<>();
      reader.page().route(url -> url.contains("/meetings?limit"), fetches::add);
      reader.page().context().setOffline(true);
      reader.sees(reader.find(".stale"), "Live updates are interrupted");
      reader.page().context().setOffline(false);
      reader.page().waitForCondition(() -> !fetches.isEmpty());
      APIResponse old = fetches.getFirst().fetch();

      long late = follow("late", "Grace");
      reader.sees(reader.row(late), "late");
      String renamed = old.text().replace("\"early\"", "\"renamed\"");
      fetches.forEach(
          fetch -> fetch.fulfill(new Route.FulfillOptions().setResponse(old).setBody(renamed)));

      reader.sees(reader.row(early), "renamed");
      reader.sees(reader.row(late), "late");
      reader.hadNoTroubleBut(NETWORK, "net::ERR");
    }
  }

  private static Reader atDesk() {
    return Reader.atDesk(chromium.browser(), house.server().url(), ColorScheme.LIGHT);
  }

  /** A meeting with a bot on its way, and somebody to meet it. */
  private static long botIn(String room) throws Exception {
    house.meet(room, "Ada");
    return olivia
        .post("/bots/start", "{\"platform\": \"daily\", \"native_meeting_id\": \"" + room + "\"}")
        .body()
        .path("id")
        .asLong();
  }

  /** A meeting that is followed without a bot, with one person in it whom the server knows of. */
  private static long follow(String room, String name) throws Exception {
    // Who asks for a room that is not there yet is told so, and the timeline tells of it.
    var _ = house.simulator().world().ensure(RoomRequest.named(room));
    long meeting =
        olivia
            .post("/meetings", "{\"platform\": \"daily\", \"native_meeting_id\": \"" + room + "\"}")
            .body()
            .path("id")
            .asLong();
    house.meet(room, name);
    var _ =
        olivia.await(
            0,
            event ->
                event.path("type").asString().equals("participant.joined")
                    && event.path("data").path("meeting_id").asLong() == meeting);
    return meeting;
  }
}
