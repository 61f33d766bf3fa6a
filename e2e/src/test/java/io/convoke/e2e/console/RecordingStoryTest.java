package io.convoke.e2e.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.options.ColorScheme;
import io.convoke.e2e.journey.JourneyTestServer;
import io.convoke.fakes.crm.FakeCrm;
import io.convoke.simulator.fault.FaultKind;
import io.convoke.simulator.fault.FaultSetting;
import io.convoke.simulator.webhook.WebhookDelivery;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The demo's recordings on the console: a recording whose webhook was lost reaches the CRM once,
 * transcribed by a real transcriber; another one fails at job B and succeeds after a click on the
 * retry icon.
 */
@Tag("heavy")
@Tag("nightly")
class RecordingStoryTest {
  private static final String READY = "recording.ready-to-download";
  private static final List<String> FIRST =
      List.of("Please send us the plan before Friday.", "You will have it on Thursday.");
  private static final List<String> SECOND = List.of("How did the trial go?", "The team likes it.");

  private static Chromium chromium;
  private static RecordingConsoleServer testServer;

  @BeforeAll
  static void open(@TempDir Path folder) throws Exception {
    testServer =
        RecordingConsoleServer.open(
            folder,
            Stream.of(FIRST, SECOND).flatMap(List::stream).toList(),
            Map.of("CONVOKE_RECORDING_POLL_INTERVAL", "3s"));
    chromium = Chromium.start();
    // Long enough for a spinner to be seen on any machine.
    testServer.crm.think(Duration.ofSeconds(2));
  }

  @AfterAll
  static void close() {
    if (chromium != null) {
      chromium.close();
    }
    if (testServer != null) {
      testServer.close();
    }
  }

  @Test
  void aLostWebhookIsNoLossAndAFailedJobSucceedsAfterTheClick() throws Exception {
    try (ConsoleUser consoleUser = onDesktop()) {
      long first = testServer.meeting("harbour-lane", "Call with Harbour Lane");
      consoleUser.open("/meetings/" + first, testServer.key).isSettled();
      consoleUser.counts(consoleUser.find(".meta sync-status[data-state=nothing]"), 1);
      String lost = recordedWithoutAWebhook("harbour-lane");

      consoleUser.counts(consoleUser.find(".meta sync-status[data-state=in_progress]"), 1);
      consoleUser.counts(consoleUser.find(".meta sync-status[data-state=success]"), 1);
      consoleUser.sees(consoleUser.find(".transcript"), "please send us the plan before friday");
      consoleUser.sees(consoleUser.find(".transcript"), "you will have it on thursday");
      consoleUser.sees(consoleUser.find(".recording .chip"), "done");
      assertThat(fateOfTheWebhook(lost)).isEqualTo(WebhookDelivery.DeliveryEnd.DROPPED);
      assertThat(testServer.moved(lost, "ready").path("actor").asString()).isEqualTo("listing");
      assertInTheCrmOnce(lost);

      // An administrator deletes the CRM's property that identifies meetings.
      testServer.crm.idProperty(false);
      long second = testServer.meeting("old-mill", "Call with Old Mill");
      consoleUser.open("/meetings?show=all").isSettled();
      String refused = testServer.recorded("old-mill", "Carlos Mendes", SECOND);
      Locator again = consoleUser.row(second).locator("sync-status button");
      consoleUser.sees(again, "Sync failed (transform)");
      consoleUser.counts(consoleUser.row(first).locator("sync-status[data-state=success]"), 1);
      assertThat(testServer.crm.notes()).doesNotContainKey(refused);

      testServer.crm.idProperty(true);
      again.click();
      consoleUser.counts(consoleUser.row(second).locator("sync-status[data-state=in_progress]"), 1);
      consoleUser.counts(consoleUser.row(second).locator("sync-status[data-state=success]"), 1);
      assertInTheCrmOnce(lost);
      assertInTheCrmOnce(refused);
      assertThat(testServer.crm.complaints()).isEmpty();
      consoleUser.hadNoErrorsExcept();
    }
  }

  @Test
  @Tag("nightly")
  void theRecordingsPageShowsWhereTheWorkStoppedAndLetsItGoOn() throws Exception {
    testServer.crm.idProperty(false);
    try (ConsoleUser consoleUser = onDesktop()) {
      long _ = testServer.meeting("mill-pond", "Call at the Mill Pond");
      consoleUser.open("/recordings", testServer.key).isSettled();
      String id = testServer.recorded("mill-pond", "Henrik Larsen", SECOND);
      Locator row = consoleUser.find("[data-recording='" + id + "']");
      consoleUser.sees(row, "in progress");
      consoleUser.sees(row, "Transform: HubSpot's meetings have no property");
      Axe.findsNothingSerious(consoleUser.page(), "recordings");

      consoleUser.press("j");
      consoleUser.counts(consoleUser.find(".recording[data-chosen]"), 1);
      row.locator(".recording-name > a").click();
      consoleUser.isAt("/recordings/" + id);
      consoleUser.sees(
          consoleUser.find(".step[data-step=transcribe][data-state=done]"), "2 segments");
      consoleUser.sees(
          consoleUser.find(".step[data-step=transform][data-state=failed]"),
          "convoke_recording_id");
      consoleUser.sees(consoleUser.find(".step[data-step=push]"), "pending");
      consoleUser.sees(consoleUser.find(".transcript"), "how did the trial go");
      Axe.findsNothingSerious(consoleUser.page(), "a recording that failed");

      // The audio beside the transcript: each line seeks to its time.
      consoleUser.find("button.said-at").last().click();
      consoleUser.becomesTrue("() => document.querySelector('audio').currentTime > 0");
      consoleUser.becomesTrue("() => document.querySelector('.said[aria-current]') !== null");
      consoleUser.becomesTrue("() => document.querySelector('audio').duration > 1");
      var _ = consoleUser.page().evaluate("() => document.querySelector('audio').pause()");

      testServer.crm.idProperty(true);
      consoleUser.press("r");
      consoleUser.sees(consoleUser.find(".step[data-step=push][data-state=done]"), "accepted as");
      consoleUser.sees(consoleUser.find(".step[data-step=transform]"), "2 attempts");
      consoleUser.sees(consoleUser.find(".page-head .chip"), "done");
      consoleUser.counts(consoleUser.find(".meta sync-status[data-state=success]"), 1);
      assertInTheCrmOnce(id);

      consoleUser.find("button:has-text('Delete')").click();
      consoleUser.sees(consoleUser.find("dialog"), "deleted here for good");
      Axe.findsNothingSerious(consoleUser.page(), "dialog before deleting");
      consoleUser.press("Escape");
      consoleUser.press("u");
      consoleUser.isAt("/recordings");
      consoleUser.hadNoErrorsExcept();
    } finally {
      testServer.crm.idProperty(true);
    }
  }

  @Tag("nightly")
  @Test
  void anOperatorAssignsARecordingToItsMeeting() throws Exception {
    long ours = testServer.meeting("shared-room", "Partner meeting");
    testServer.share("shared-room");
    try (ConsoleUser consoleUser = onDesktop()) {
      String id = testServer.recorded("shared-room", "Ines Moreau", SECOND);
      consoleUser.operate("/recordings?show=unmatched", JourneyTestServer.ADMIN).isSettled();
      Locator row = consoleUser.find("[data-recording='" + id + "']");
      consoleUser.sees(row, "2 meetings it may belong to");
      AtomicBoolean away = new AtomicBoolean(true);
      consoleUser.refuse(url -> url.matches(".*:\\d+/meetings/\\d+"), away::get);
      row.locator(".recording-act a").click();
      consoleUser.isAt("/recordings/" + id);
      consoleUser.sees(consoleUser.find(".whose .problem"), "Service Unavailable");
      away.set(false);
      consoleUser.find(".whose button:has-text('Try again')").click();
      consoleUser.counts(consoleUser.find(".candidate"), 2);
      Locator partners = consoleUser.find(".candidate:has-text('Partner meeting')");
      Axe.findsNothingSerious(consoleUser.page(), "whose is it");

      partners.locator("input").check();
      consoleUser.find(".whose button").click();
      consoleUser.counts(consoleUser.find(".whose"), 0);
      consoleUser.sees(consoleUser.find(".meta"), "Meeting " + ours);
      consoleUser.sees(consoleUser.find(".page-head .chip"), "done");
      assertInTheCrmOnce(id);
      consoleUser.hadNoErrorsExcept("Failed to load resource");
    }
  }

  @Test
  @Tag("nightly")
  void aPhoneShowsRecordingsWithoutScrollingSideways() throws Exception {
    long _ = testServer.meeting("on-the-train", "Call from the train");
    String id = testServer.recorded("on-the-train", "Ada", FIRST);
    var _ = testServer.moved(id, "done");
    try (ConsoleUser consoleUser =
        ConsoleUser.onPhone(chromium.browser(), testServer.journeyServer.server().url())) {
      consoleUser.open("/recordings", testServer.key).isSettled();
      consoleUser.sees(consoleUser.find("[data-recording='" + id + "']"), "done");
      consoleUser.seesNothingBeyondTheEdge();
      Axe.findsNothingSerious(consoleUser.page(), "recordings on a phone");
      consoleUser.open("/recordings/" + id).isSettled();
      consoleUser.sees(consoleUser.find(".step[data-step=push]"), "accepted as");
      consoleUser.seesNothingBeyondTheEdge();
      consoleUser.hadNoErrorsExcept();
    }
  }

  private static String recordedWithoutAWebhook(String room) {
    testServer
        .journeyServer
        .simulator()
        .faults()
        .set(FaultKind.WEBHOOK_DROP, FaultSetting.ALWAYS.on(READY + " " + room).times(1));
    return testServer.recorded(room, "Elena Rossi", FIRST);
  }

  private static void assertInTheCrmOnce(String recording) {
    assertThat(testServer.crm.notes().get(recording))
        .as("the note of " + recording)
        .isNotNull()
        .extracting(FakeCrm.CrmNote::versions)
        .isEqualTo(1);
  }

  private static WebhookDelivery.DeliveryEnd fateOfTheWebhook(String recording) throws Exception {
    return testServer
        .journeyServer
        .simulator()
        .awaitWebhook(
            it ->
                it.envelope().type().equals(READY)
                    && recording.equals(it.envelope().payload().get("recording_id")),
            Duration.ofSeconds(5))
        .end();
  }

  private static ConsoleUser onDesktop() {
    return ConsoleUser.onDesktop(
        chromium.browser(), testServer.journeyServer.server().url(), ColorScheme.LIGHT);
  }
}
