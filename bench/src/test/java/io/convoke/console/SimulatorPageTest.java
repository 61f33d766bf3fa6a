package io.convoke.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.ColorScheme;
import io.convoke.journey.Caller;
import io.convoke.journey.House;
import io.convoke.lab.sim.fault.Fault;
import io.convoke.lab.sim.fault.FaultKind;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The page of the attached simulator in a real browser: faults set by keyboard strike at the
 * simulator, and what they break turns red, then green again.
 */
class SimulatorPageTest {
  private static final String NETWORK = "Failed to load resource";
  private static final Route.FulfillOptions AWAY =
      new Route.FulfillOptions()
          .setStatus(503)
          .setContentType("application/problem+json")
          .setBody(
              "{\"title\": \"Service Unavailable\", \"status\": 503, \"code\":"
                  + " \"simulator_away\", \"detail\": \"It does not answer.\"}");

  /** Ten times as long is more than a test waits. */
  private static final int SLOW_MS = 4000;

  private static final Path IMAGES = Path.of("..", "docs", "images");

  private static Chromium chromium;
  private static House house;
  private static String key;

  @BeforeAll
  static void open(@TempDir Path folder) throws Exception {
    chromium = Chromium.start();
    house = House.openLab(folder, Map.of("CONVOKE_PRESENCE_RECONCILE_INTERVAL", "2s"));
    key = house.key("olivia@example.org");
    Caller olivia = new Caller(house.server().url(), Map.of("X-API-Key", key));
    house.meet("stand-up", "Maria");
    assertThat(
            olivia
                .post("/meetings", "{\"platform\": \"daily\", \"native_meeting_id\": \"stand-up\"}")
                .status())
        .isEqualTo(201);
  }

  @AfterAll
  static void close() {
    if (house != null) {
      house.close();
      chromium.close();
    }
  }

  @Test
  void aSliderMovedByKeyboardIsAFaultAtTheSimulator() {
    try (Reader reader = operator(ColorScheme.LIGHT)) {
      reader.press("g");
      reader.press("l");
      reader.isAt("/simulator");
      reader.sees(reader.find("h1"), "Simulator");
      reader.sees(reader.find(".meta"), "seed 1");
      reader.sees(reader.find(".meta"), "scenario none");
      reader.counts(reader.find(".faults li"), FaultKind.values().length);
      Axe.findsNothingSerious(reader.page(), "the simulator");

      Locator slow = fault(reader, "api slow");
      slow.locator("input[type=range]").focus();
      reader.press("ArrowRight");
      reader.press("ArrowRight");
      reader.sees(slow.locator("output"), "10 %");
      reader.sees(slow.locator(".fault-said"), "accepted");
      assertThat(house.simulator().faults().get(FaultKind.API_SLOW))
          .isEqualTo(Fault.of(0.1).lasting(Duration.ofSeconds(5)));

      reader.press("Tab");
      reader.page().keyboard().press("Control+a");
      reader.type("0.5");
      reader.sees(slow.locator(".fault-said"), "accepted");
      reader.page().waitForCondition(() -> amount().equals(Duration.ofMillis(500)));

      fault(reader, "download cut").locator("input").click();
      reader.sees(fault(reader, "download cut").locator("output"), "50 %");
      reader.sees(fault(reader, "download cut").locator(".fault-said"), "accepted");
      assertThat(house.simulator().faults().get(FaultKind.DOWNLOAD_CUT)).isEqualTo(Fault.of(0.5));

      allOff(reader);
      assertThat(house.simulator().faults().get(FaultKind.API_SLOW)).isEqualTo(Fault.NEVER);
      reader.sees(slow.locator("output"), "0 %");
      reader.hadNoTroubleBut();
    }
  }

  private static Duration amount() {
    return house.simulator().faults().get(FaultKind.API_SLOW).amount();
  }

  @Test
  void whatAFaultBreaksTurnsRedAndThenGreenAgain() {
    try (Reader reader = operator(ColorScheme.DARK)) {
      reader.open("/simulator");
      Locator present = invariant(reader, "Everybody who is in a followed room");
      reader.sees(present.locator(".chip"), "holds");
      always(reader, "webhook drop");
      always(reader, "api 500");
      house.meet("stand-up", "Ada");

      reader.sees(present.locator(".chip"), "settling");
      reader.sees(present, "Ada in stand-up");
      reader.sees(present.locator(".chip"), "late");
      reader.sees(invariant(reader, "What a lost webhook"), "participant.joined in stand-up");
      reader.counts(reader.find(".invariants [data-standing=violated]"), 2);
      reader.isSettled();
      Axe.findsNothingSerious(reader.page(), "invariants that are violated");
      picture(reader, "console-simulator-dark.png");
      reader.page().emulateMedia(new Page.EmulateMediaOptions().setColorScheme(ColorScheme.LIGHT));
      Axe.findsNothingSerious(reader.page(), "the same, light");
      picture(reader, "console-simulator-light.png");

      allOff(reader);
      reader.sees(present.locator(".chip"), "holds");
      reader.counts(reader.find(".invariants [data-standing=holds]"), 6);
      reader.hadNoTroubleBut();
    }
  }

  @Test
  void aSimulatorThatIsAwayIsSaidAndWhatWasKnownStays() {
    try (Reader reader = operator(ColorScheme.LIGHT)) {
      reader.open("/simulator");
      reader.sees(invariant(reader, "No session is open twice").locator(".chip"), "holds");
      AtomicBoolean away = new AtomicBoolean(true);
      reader
          .page()
          .route(
              url ->
                  url.contains("/simulator") && !url.contains("/console") && !url.endsWith(".js"),
              route -> {
                if (away.get()) {
                  route.fulfill(AWAY);
                } else {
                  route.resume();
                }
              });
      reader.sees("simulator_away");
      reader.sees(invariant(reader, "No session is open twice").locator(".chip"), "was holds");
      Locator cut = fault(reader, "download cut");
      cut.locator("input").focus();
      reader.press("ArrowRight");
      reader.sees(cut.locator(".fault-said"), "refused: It does not answer.");
      Axe.findsNothingSerious(reader.page(), "a simulator that is away");
      away.set(false);
      reader.counts(reader.find(".problem"), 0);
      reader.sees(invariant(reader, "No session is open twice").locator(".chip"), "holds");
      reader.hadNoTroubleBut(NETWORK);
    }
  }

  @Test
  void whatTookLongIsAskedForAgainSoon() {
    try (Reader reader = operator(ColorScheme.LIGHT)) {
      AtomicInteger asked = new AtomicInteger();
      reader
          .page()
          .route(
              "**/simulator/invariants",
              route -> {
                asked.incrementAndGet();
                reader.page().waitForTimeout(SLOW_MS);
                route.resume();
              });
      reader.open("/simulator");
      reader.sees(invariant(reader, "No session is open twice").locator(".chip"), "holds");
      int before = asked.get();
      reader.page().waitForCondition(() -> asked.get() > before);
      reader.hadNoTroubleBut();
    }
  }

  @Test
  void aPhoneShowsAllOfItAndOnlyTheOperatorHasIt() {
    try (Reader reader = Reader.onPhone(chromium.browser(), house.server().url())) {
      reader.operate("/simulator", House.ADMIN);
      reader.counts(reader.find(".faults li"), FaultKind.values().length);
      reader.isSettled();
      reader.seesNothingBeyondTheEdge();
      Axe.findsNothingSerious(reader.page(), "the simulator on a phone");
      picture(reader, "console-simulator-phone.png");
      reader.hadNoTroubleBut();
    }
    try (Reader reader =
        Reader.atDesk(chromium.browser(), house.server().url(), ColorScheme.LIGHT)) {
      reader.open("/meetings", key);
      reader.isSettled();
      reader.counts(reader.find("nav a[href$='/webhooks']"), 1);
      reader.counts(reader.find("nav a[href$='/simulator']"), 0);
      reader.hadNoTroubleBut();
    }
  }

  private static Reader operator(ColorScheme scheme) {
    Reader reader = Reader.atDesk(chromium.browser(), house.server().url(), scheme);
    reader.operate("/meetings", House.ADMIN).isSettled();
    reader.counts(reader.find("nav a[href$='/simulator']"), 1);
    return reader;
  }

  private static Locator fault(Reader reader, String name) {
    return reader
        .find(".faults li")
        .filter(new Locator.FilterOptions().setHas(reader.page().locator("label", has(name))));
  }

  private static Page.LocatorOptions has(String text) {
    return new Page.LocatorOptions().setHasText(text);
  }

  private static Locator invariant(Reader reader, String claim) {
    return reader.page().locator(".invariants li", has(claim));
  }

  private static void always(Reader reader, String name) {
    fault(reader, name).locator("input[type=range]").focus();
    reader.press("End");
    reader.sees(fault(reader, name).locator("output"), "100 %");
    reader.sees(fault(reader, name).locator(".fault-said"), "accepted");
  }

  /** By its key, which no slider must hold back. */
  private static void allOff(Reader reader) {
    var _ = reader.page().evaluate("() => document.activeElement.blur()");
    reader.press("0");
    reader.sees(reader.find(".toasts"), "Every fault is off.");
  }

  private static void picture(Reader reader, String name) {
    if (Boolean.getBoolean("convoke.pictures")) {
      reader.isSettled();
      reader.counts(reader.find(".toast"), 0);
      var _ = reader.page().screenshot(new Page.ScreenshotOptions().setPath(IMAGES.resolve(name)));
    }
  }
}
