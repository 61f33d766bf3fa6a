package io.convoke.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.options.ColorScheme;
import io.convoke.lab.crm.CrmStandIn;
import io.convoke.lab.sim.fault.Fault;
import io.convoke.lab.sim.fault.FaultKind;
import io.convoke.lab.sim.webhook.Delivery;
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
  private static RecordingHouse house;

  @BeforeAll
  static void open(@TempDir Path folder) throws Exception {
    house =
        RecordingHouse.open(
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
    try (Reader reader = atDesk()) {
      long first = house.meeting("harbour-lane", "Call with Harbour Lane");
      reader.open("/meetings/" + first, house.key).isSettled();
      reader.counts(reader.find(".meta sync-status[data-state=nothing]"), 1);
      String lost = recordedWithoutAWebhook("harbour-lane");

      reader.counts(reader.find(".meta sync-status[data-state=in_progress]"), 1);
      reader.counts(reader.find(".meta sync-status[data-state=success]"), 1);
      reader.sees(reader.find(".transcript"), "please send us the plan before friday");
      reader.sees(reader.find(".transcript"), "you will have it on thursday");
      reader.sees(reader.find(".recording .chip"), "done");
      assertThat(fateOfTheWebhook(lost)).isEqualTo(Delivery.Fate.DROPPED);
      assertThat(house.moved(lost, "ready").path("actor").asString()).isEqualTo("listing");
      assertInTheCrmOnce(lost);

      // Somebody takes the property away that meetings are found by in the CRM.
      house.crm.idProperty(false);
      long second = house.meeting("old-mill", "Call with Old Mill");
      reader.open("/meetings?show=all").isSettled();
      String refused = house.recorded("old-mill", "Carlos Mendes", SECOND);
      Locator again = reader.row(second).locator("sync-status button");
      reader.sees(again, "Sync failed (transform)");
      reader.counts(reader.row(first).locator("sync-status[data-state=success]"), 1);
      assertThat(house.crm.notes()).doesNotContainKey(refused);

      house.crm.idProperty(true);
      again.click();
      reader.counts(reader.row(second).locator("sync-status[data-state=in_progress]"), 1);
      reader.counts(reader.row(second).locator("sync-status[data-state=success]"), 1);
      assertInTheCrmOnce(lost);
      assertInTheCrmOnce(refused);
      assertThat(house.crm.complaints()).isEmpty();
      reader.hadNoTroubleBut();
    }
  }

  @Test
  void theRecordingsPageShowsWhereTheWorkStoppedAndLetsItGoOn() throws Exception {
    house.crm.idProperty(false);
    try (Reader reader = atDesk()) {
      long _ = house.meeting("mill-pond", "Call at the Mill Pond");
      reader.open("/recordings", house.key).isSettled();
      String id = house.recorded("mill-pond", "Henrik Larsen", SECOND);
      Locator row = reader.find("[data-recording='" + id + "']");
      reader.sees(row, "in progress");
      reader.sees(row, "Transform: HubSpot's meetings have no property");
      Axe.findsNothingSerious(reader.page(), "recordings");

      reader.press("j");
      reader.counts(reader.find(".recording[data-chosen]"), 1);
      row.locator(".recording-name > a").click();
      reader.isAt("/recordings/" + id);
      reader.sees(reader.find(".step[data-step=transcribe][data-state=done]"), "2 segments");
      reader.sees(
          reader.find(".step[data-step=transform][data-state=failed]"), "convoke_recording_id");
      reader.sees(reader.find(".step[data-step=push]"), "pending");
      reader.sees(reader.find(".transcript"), "how did the trial go");
      Axe.findsNothingSerious(reader.page(), "a recording that failed");

      // The sound beside the words: each leads to where it was said.
      reader.find("button.said-at").last().click();
      reader.comesTrue("() => document.querySelector('audio').currentTime > 0");
      reader.comesTrue("() => document.querySelector('.said[aria-current]') !== null");
      reader.comesTrue("() => document.querySelector('audio').duration > 1");
      var _ = reader.page().evaluate("() => document.querySelector('audio').pause()");

      house.crm.idProperty(true);
      reader.press("r");
      reader.sees(reader.find(".step[data-step=push][data-state=done]"), "accepted as");
      reader.sees(reader.find(".step[data-step=transform]"), "2 attempts");
      reader.sees(reader.find(".page-head .chip"), "done");
      reader.counts(reader.find(".meta sync-status[data-state=success]"), 1);
      assertInTheCrmOnce(id);

      reader.find("button:has-text('Delete')").click();
      reader.sees(reader.find("dialog"), "deleted here for good");
      Axe.findsNothingSerious(reader.page(), "dialog before deleting");
      reader.press("Escape");
      reader.press("u");
      reader.isAt("/recordings");
      reader.hadNoTroubleBut();
    } finally {
      house.crm.idProperty(true);
    }
  }

  @Test
  void whoKnowsWhoseItIsSaysSo() throws Exception {
    long ours = house.meeting("shared-room", "Partner meeting");
    var marek = house.caller(house.house.key("marek@example.org"));
    long _ = house.meeting(marek, "shared-room", "Somebody else's");
    try (Reader reader = atDesk()) {
      String id = house.recorded("shared-room", "Ines Moreau", SECOND);
      reader.open("/recordings?show=unmatched", house.key).isSettled();
      Locator row = reader.find("[data-recording='" + id + "']");
      reader.sees(row, "2 meetings it may belong to");
      row.locator(".recording-act a").click();
      reader.isAt("/recordings/" + id);
      reader.counts(reader.find(".candidate"), 1);
      reader.sees(reader.find(".candidate"), "Partner meeting");
      Axe.findsNothingSerious(reader.page(), "whose is it");

      reader.find(".candidate input").check();
      reader.find(".whose button").click();
      reader.counts(reader.find(".whose"), 0);
      reader.sees(reader.find(".meta"), "Meeting " + ours);
      reader.sees(reader.find(".page-head .chip"), "done");
      assertInTheCrmOnce(id);
      reader.hadNoTroubleBut("Failed to load resource");
    }
  }

  @Test
  void aPhoneShowsRecordingsWithoutScrollingSideways() throws Exception {
    long _ = house.meeting("on-the-train", "Call from the train");
    String id = house.recorded("on-the-train", "Ada", FIRST);
    var _ = house.moved(id, "done");
    try (Reader reader = Reader.onPhone(chromium.browser(), house.house.server().url())) {
      reader.open("/recordings", house.key).isSettled();
      reader.sees(reader.find("[data-recording='" + id + "']"), "done");
      reader.seesNothingBeyondTheEdge();
      Axe.findsNothingSerious(reader.page(), "recordings on a phone");
      reader.open("/recordings/" + id).isSettled();
      reader.sees(reader.find(".step[data-step=push]"), "accepted as");
      reader.seesNothingBeyondTheEdge();
      reader.hadNoTroubleBut();
    }
  }

  private static String recordedWithoutAWebhook(String room) {
    house
        .house
        .simulator()
        .faults()
        .set(FaultKind.WEBHOOK_DROP, Fault.ALWAYS.on(READY + " " + room).times(1));
    return house.recorded(room, "Elena Rossi", FIRST);
  }

  private static void assertInTheCrmOnce(String recording) {
    assertThat(house.crm.notes().get(recording))
        .as("the note of " + recording)
        .isNotNull()
        .extracting(CrmStandIn.Note::versions)
        .isEqualTo(1);
  }

  private static Delivery.Fate fateOfTheWebhook(String recording) throws Exception {
    return house
        .house
        .simulator()
        .awaitWebhook(
            it ->
                it.envelope().type().equals(READY)
                    && recording.equals(it.envelope().payload().get("recording_id")),
            Duration.ofSeconds(5))
        .fate();
  }

  private static Reader atDesk() {
    return Reader.atDesk(chromium.browser(), house.house.server().url(), ColorScheme.LIGHT);
  }
}
