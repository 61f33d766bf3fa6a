package io.convoke.e2e.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.ColorScheme;
import io.convoke.e2e.journey.ApiUser;
import io.convoke.e2e.journey.JourneyTestServer;
import io.convoke.simulator.fault.FaultKind;
import io.convoke.simulator.fault.FaultSetting;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The page of the attached simulator in a real browser: faults set by keyboard reach the simulator,
 * and the checks that they break turn red, then green again.
 */
@Tag("heavy")
@Tag("nightly")
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
  private static JourneyTestServer testServer;
  private static String key;

  @BeforeAll
  static void open(@TempDir Path folder) throws Exception {
    chromium = Chromium.start();
    testServer =
        JourneyTestServer.openLab(folder, Map.of("CONVOKE_PRESENCE_RECONCILE_INTERVAL", "2s"));
    key = testServer.key("olivia@example.org");
    ApiUser olivia = new ApiUser(testServer.server().url(), Map.of("X-API-Key", key));
    testServer.meet("stand-up", "Maria");
    assertThat(
            olivia
                .post("/meetings", "{\"platform\": \"daily\", \"native_meeting_id\": \"stand-up\"}")
                .status())
        .isEqualTo(201);
  }

  @AfterAll
  static void close() {
    if (testServer != null) {
      testServer.close();
      chromium.close();
    }
  }

  @Test
  void aSliderMovedByKeyboardIsAFaultAtTheSimulator() {
    try (ConsoleUser consoleUser = operator(ColorScheme.LIGHT)) {
      consoleUser.press("g");
      consoleUser.press("l");
      consoleUser.isAt("/simulator");
      consoleUser.sees(consoleUser.find("h1"), "Simulator");
      consoleUser.sees(consoleUser.find(".meta"), "seed 1");
      consoleUser.sees(consoleUser.find(".meta"), "scenario none");
      consoleUser.counts(consoleUser.find(".faults li"), FaultKind.values().length);
      Axe.findsNothingSerious(consoleUser.page(), "the simulator");

      Locator slow = fault(consoleUser, "api slow");
      slow.locator("input[type=range]").focus();
      consoleUser.press("ArrowRight");
      consoleUser.press("ArrowRight");
      consoleUser.sees(slow.locator("output"), "10 %");
      consoleUser.sees(slow.locator(".fault-said"), "accepted");
      assertThat(testServer.simulator().faults().get(FaultKind.API_SLOW))
          .isEqualTo(FaultSetting.of(0.1).lasting(Duration.ofSeconds(5)));

      consoleUser.press("Tab");
      consoleUser.page().keyboard().press("Control+a");
      consoleUser.type("0.5");
      consoleUser.sees(slow.locator(".fault-said"), "accepted");
      consoleUser.page().waitForCondition(() -> amount().equals(Duration.ofMillis(500)));

      fault(consoleUser, "download cut").locator("input").click();
      consoleUser.sees(fault(consoleUser, "download cut").locator("output"), "50 %");
      consoleUser.sees(fault(consoleUser, "download cut").locator(".fault-said"), "accepted");
      assertThat(testServer.simulator().faults().get(FaultKind.DOWNLOAD_CUT))
          .isEqualTo(FaultSetting.of(0.5));

      allOff(consoleUser);
      assertThat(testServer.simulator().faults().get(FaultKind.API_SLOW))
          .isEqualTo(FaultSetting.NEVER);
      consoleUser.sees(slow.locator("output"), "0 %");
      consoleUser.hadNoErrorsExcept();
    }
  }

  private static Duration amount() {
    return testServer.simulator().faults().get(FaultKind.API_SLOW).amount();
  }

  @Test
  void aCheckBrokenByAFaultTurnsRedAndThenGreenAgain() {
    try (ConsoleUser consoleUser = operator(ColorScheme.DARK)) {
      consoleUser.open("/simulator");
      Locator present = invariant(consoleUser, "Every participant of a followed room");
      consoleUser.sees(present.locator(".chip"), "holds");
      always(consoleUser, "webhook drop");
      always(consoleUser, "api 500");
      testServer.meet("stand-up", "Ada");

      consoleUser.sees(present.locator(".chip"), "settling");
      consoleUser.sees(present, "Ada in stand-up");
      consoleUser.sees(present.locator(".chip"), "late");
      consoleUser.sees(
          invariant(consoleUser, "The change of a lost webhook"), "participant.joined in stand-up");
      consoleUser.counts(consoleUser.find(".invariants [data-standing=violated]"), 2);
      consoleUser.isSettled();
      Axe.findsNothingSerious(consoleUser.page(), "invariants that are violated");
      picture(consoleUser, "console-simulator-dark.png");
      consoleUser
          .page()
          .emulateMedia(new Page.EmulateMediaOptions().setColorScheme(ColorScheme.LIGHT));
      Axe.findsNothingSerious(consoleUser.page(), "the same, light");
      picture(consoleUser, "console-simulator-light.png");

      allOff(consoleUser);
      consoleUser.sees(present.locator(".chip"), "holds");
      consoleUser.counts(consoleUser.find(".invariants [data-standing=holds]"), 6);
      consoleUser.hadNoErrorsExcept();
    }
  }

  @Test
  void anUnreachableSimulatorIsReportedAndTheLastStateIsKept() {
    try (ConsoleUser consoleUser = operator(ColorScheme.LIGHT)) {
      consoleUser.open("/simulator");
      consoleUser.sees(
          invariant(consoleUser, "No session is open twice").locator(".chip"), "holds");
      AtomicBoolean away = new AtomicBoolean(true);
      consoleUser
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
      consoleUser.sees("simulator_away");
      consoleUser.sees(
          invariant(consoleUser, "No session is open twice").locator(".chip"), "was holds");
      Locator cut = fault(consoleUser, "download cut");
      cut.locator("input").focus();
      consoleUser.press("ArrowRight");
      consoleUser.sees(cut.locator(".fault-said"), "refused: It does not answer.");
      Axe.findsNothingSerious(consoleUser.page(), "a simulator that is away");
      away.set(false);
      consoleUser.counts(consoleUser.find(".problem"), 0);
      consoleUser.sees(
          invariant(consoleUser, "No session is open twice").locator(".chip"), "holds");
      consoleUser.hadNoErrorsExcept(NETWORK);
    }
  }

  @Test
  void aSlowRequestIsRepeatedSoon() {
    try (ConsoleUser consoleUser = operator(ColorScheme.LIGHT)) {
      AtomicInteger asked = new AtomicInteger();
      consoleUser
          .page()
          .route(
              "**/simulator/invariants",
              route -> {
                asked.incrementAndGet();
                consoleUser.page().waitForTimeout(SLOW_MS);
                route.resume();
              });
      consoleUser.open("/simulator");
      consoleUser.sees(
          invariant(consoleUser, "No session is open twice").locator(".chip"), "holds");
      int before = asked.get();
      consoleUser.page().waitForCondition(() -> asked.get() > before);
      consoleUser.hadNoErrorsExcept();
    }
  }

  @Test
  void aPhoneShowsAllOfItAndOnlyTheOperatorHasIt() {
    try (ConsoleUser consoleUser =
        ConsoleUser.onPhone(chromium.browser(), testServer.server().url())) {
      consoleUser.operate("/simulator", JourneyTestServer.ADMIN);
      consoleUser.counts(consoleUser.find(".faults li"), FaultKind.values().length);
      consoleUser.isSettled();
      consoleUser.seesNothingBeyondTheEdge();
      Axe.findsNothingSerious(consoleUser.page(), "the simulator on a phone");
      picture(consoleUser, "console-simulator-phone.png");
      consoleUser.hadNoErrorsExcept();
    }
    try (ConsoleUser consoleUser =
        ConsoleUser.onDesktop(chromium.browser(), testServer.server().url(), ColorScheme.LIGHT)) {
      consoleUser.open("/meetings", key);
      consoleUser.isSettled();
      consoleUser.counts(consoleUser.find("nav a[href$='/webhooks']"), 1);
      consoleUser.counts(consoleUser.find("nav a[href$='/simulator']"), 0);
      consoleUser.hadNoErrorsExcept();
    }
  }

  private static ConsoleUser operator(ColorScheme scheme) {
    ConsoleUser consoleUser =
        ConsoleUser.onDesktop(chromium.browser(), testServer.server().url(), scheme);
    consoleUser.operate("/meetings", JourneyTestServer.ADMIN).isSettled();
    consoleUser.counts(consoleUser.find("nav a[href$='/simulator']"), 1);
    return consoleUser;
  }

  private static Locator fault(ConsoleUser consoleUser, String name) {
    return consoleUser
        .find(".faults li")
        .filter(new Locator.FilterOptions().setHas(consoleUser.page().locator("label", has(name))));
  }

  private static Page.LocatorOptions has(String text) {
    return new Page.LocatorOptions().setHasText(text);
  }

  private static Locator invariant(ConsoleUser consoleUser, String claim) {
    return consoleUser.page().locator(".invariants li", has(claim));
  }

  private static void always(ConsoleUser consoleUser, String name) {
    fault(consoleUser, name).locator("input[type=range]").focus();
    consoleUser.press("End");
    consoleUser.sees(fault(consoleUser, name).locator("output"), "100 %");
    consoleUser.sees(fault(consoleUser, name).locator(".fault-said"), "accepted");
  }

  /** By its key, which no slider must intercept. */
  private static void allOff(ConsoleUser consoleUser) {
    var _ = consoleUser.page().evaluate("() => document.activeElement.blur()");
    consoleUser.press("0");
    consoleUser.sees(consoleUser.find(".toasts"), "Every fault is off.");
  }

  private static void picture(ConsoleUser consoleUser, String name) {
    if (Boolean.getBoolean("convoke.pictures")) {
      consoleUser.isSettled();
      consoleUser.counts(consoleUser.find(".toast"), 0);
      var _ =
          consoleUser.page().screenshot(new Page.ScreenshotOptions().setPath(IMAGES.resolve(name)));
    }
  }
}
