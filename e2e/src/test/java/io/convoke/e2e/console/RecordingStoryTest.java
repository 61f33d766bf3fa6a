package io.convoke.e2e.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.options.ColorScheme;
import io.convoke.fakes.crm.FakeCrm;
import io.convoke.simulator.fault.FaultKind;
import io.convoke.simulator.fault.FaultSetting;
import io.convoke.simulator.webhook.WebhookDelivery;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The story that the demo tells, seen by a reader of the console: a recording whose webhook was
 * lost reaches the CRM once, heard by a real transcriber; another one fails at job B, and succeeds
 * after a click on the retry icon.
 */
class RecordingStoryTest {
  private static final String READY = "recording.ready-to-download";
  private static final List<String> FIRST =
      List.of("Please send us the plan before Friday.", "You will have it on Thursday.");
  private static final List<String> SECOND = List.of("How did the trial go?", "The team likes it.");

  private static Chromium chromium;
  private static RecordingConsoleServer house;

  @BeforeAll
  static void open(@TempDir Path folder) throws Exception {
    house =
        RecordingConsoleServer.open(
            folder,
            Stream.of(FIRST, SECOND).flatMap(List::stream).toList(),
            Map.of("CONVOKE_RECORDING_POLL_INTERVAL", "3s"));
    chromium = Chromium.start();
    // Long enough for a spinner to be seen on any machine.
    house.crm.think(Duration.ofSeconds(2));
  }

  @AfterAll
  static void close() {
    if (chromium != null) {
      chromium.close();
    }
    if (house != null) {
      house.close();
    }
  }

  @Test
  void aLostWebhookIsNoLossAndAFailedJobSucceedsAfterTheClick() throws Exception {
    try (ConsoleUser consoleUser = atDesk()) {
      long first = house.meeting("harbour-lane", "Call with Harbour Lane");
      consoleUser.open("/meetings/" + first, house.key).isSettled();
      consoleUser.counts(consoleUser.find(".meta sync-status[data-state=nothing]"), 1);
      String lost = recordedWithoutAWebhook("harbour-lane");

      consoleUser.counts(consoleUser.find(".meta sync-status[data-state=in_progress]"), 1);
      consoleUser.counts(consoleUser.find(".meta sync-status[data-state=success]"), 1);
      consoleUser.sees(consoleUser.find(".transcript"), "please send us the plan before friday");
      consoleUser.sees(consoleUser.find(".transcript"), "you will have it on thursday");
      consoleUser.sees(consoleUser.find(".recording .chip"), "done");
      assertThat(fateOfTheWebhook(lost)).isEqualTo(WebhookDelivery.DeliveryEnd.DROPPED);
      assertThat(house.moved(lost, "ready").path("actor").asString()).isEqualTo("listing");
      assertInTheCrmOnce(lost);

      // Somebody takes the property away that meetings are found by in the CRM.
      house.crm.idProperty(false);
      long second = house.meeting("old-mill", "Call with Old Mill");
      consoleUser.open("/meetings?show=all").isSettled();
      String refused = house.recorded("old-mill", "Carlos Mendes", SECOND);
      Locator again = consoleUser.row(second).locator("sync-status button");
      consoleUser.sees(again, "Sync failed (transform)");
      consoleUser.counts(consoleUser.row(first).locator("sync-status[data-state=success]"), 1);
      assertThat(house.crm.notes()).doesNotContainKey(refused);

      house.crm.idProperty(true);
      again.click();
      consoleUser.counts(consoleUser.row(second).locator("sync-status[data-state=in_progress]"), 1);
      consoleUser.counts(consoleUser.row(second).locator("sync-status[data-state=success]"), 1);
      assertInTheCrmOnce(lost);
      assertInTheCrmOnce(refused);
      assertThat(house.crm.complaints()).isEmpty();
      consoleUser.hadNoTroubleBut();
    }
  }

  @Test
  void theRecordingsPageShowsWhereTheWorkStoppedAndLetsItGoOn() throws Exception {
    house.crm.idProperty(false);
    try (ConsoleUser consoleUser = atDesk()) {
      long _ = house.meeting("mill-pond", "Call at the Mill Pond");
      consoleUser.open("/recordings", house.key).isSettled();
      String id = house.recorded("mill-pond", "Henrik Larsen", SECOND);
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

      // The sound beside the words: each leads to where it was said.
      consoleUser.find("button.said-at").last().click();
      consoleUser.comesTrue("() => document.querySelector('audio').currentTime > 0");
      consoleUser.comesTrue("() => document.querySelector('.said[aria-current]') !== null");
      consoleUser.comesTrue("() => document.querySelector('audio').duration > 1");
      var _ = consoleUser.page().evaluate("() => document.querySelector('audio').pause()");

      house.crm.idProperty(true);
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
      consoleUser.hadNoTroubleBut();
    } finally {
      house.crm.idProperty(true);
    }
  }

  @Test
  void whoKnowsWhoseItIsSaysSo() throws Exception {
    long ours = house.meeting("shared-room", "Partner meeting");
    var marek = house.caller(house.house.key("marek@example.org"));
    long _ = house.meeting(marek, "shared-room", "Somebody else's");
    try (ConsoleUser consoleUser = atDesk()) {
      String id = house.recorded("shared-room", "Ines Moreau", SECOND);
      consoleUser.open("/recordings?show=unmatched", house.key).isSettled();
      Locator row = consoleUser.find("[data-recording='" + id + "']");
      consoleUser.sees(row, "2 meetings it may belong to");
      row.locator(".recording-act a").click();
      consoleUser.isAt("/recordings/" + id);
      consoleUser.counts(consoleUser.find(".candidate"), 1);
      consoleUser.sees(consoleUser.find(".candidate"), "Partner meeting");
      Axe.findsNothingSerious(consoleUser.page(), "whose is it");

      consoleUser.find(".candidate input").check();
      consoleUser.find(".whose button").click();
      consoleUser.counts(consoleUser.find(".whose"), 0);
      consoleUser.sees(consoleUser.find(".meta"), "Meeting " + ours);
      consoleUser.sees(consoleUser.find(".page-head .chip"), "done");
      assertInTheCrmOnce(id);
      consoleUser.hadNoTroubleBut("Failed to load resource");
    }
  }

  @Test
  void aPhoneShowsRecordingsWithoutScrollingSideways() throws Exception {
    long _ = house.meeting("on-the-train", "Call from the train");
    String id = house.recorded("on-the-train", "Ada", FIRST);
    var _ = house.moved(id, "done");
    try (ConsoleUser consoleUser =
        ConsoleUser.onPhone(chromium.browser(), house.house.server().url())) {
      consoleUser.open("/recordings", house.key).isSettled();
      consoleUser.sees(consoleUser.find("[data-recording='" + id + "']"), "done");
      consoleUser.seesNothingBeyondTheEdge();
      Axe.findsNothingSerious(consoleUser.page(), "recordings on a phone");
      consoleUser.open("/recordings/" + id).isSettled();
      consoleUser.sees(consoleUser.find(".step[data-step=push]"), "accepted as");
      consoleUser.seesNothingBeyondTheEdge();
      consoleUser.hadNoTroubleBut();
    }
  }

  private static String recordedWithoutAWebhook(String room) {
    house
        .house
        .simulator()
        .faults()
        .set(FaultKind.WEBHOOK_DROP, FaultSetting.ALWAYS.on(READY + " " + room).times(1));
    return house.recorded(room, "Elena Rossi", FIRST);
  }

  private static void assertInTheCrmOnce(String recording) {
    assertThat(house.crm.notes().get(recording))
        .as("the note of " + recording)
        .isNotNull()
        .extracting(FakeCrm.CrmNote::versions)
        .isEqualTo(1);
  }

  private static WebhookDelivery.DeliveryEnd fateOfTheWebhook(String recording) throws Exception {
    return house
        .house
        .simulator()
        .awaitWebhook(
            it ->
                it.envelope().type().equals(READY)
                    && recording.equals(it.envelope().payload().get("recording_id")),
            Duration.ofSeconds(5))
        .end();
  }

  private static ConsoleUser atDesk() {
    return ConsoleUser.atDesk(chromium.browser(), house.house.server().url(), ColorScheme.LIGHT);
  }
}
