package io.convoke.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.options.ColorScheme;
import io.convoke.journey.House;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Dispatch, bots and the overview in a real browser, on a server whose bots are deaf and whose
 * tasks find shut doors.
 */
class WorkTest {
  private static final List<String> PAGES = List.of("/overview", "/dispatch", "/bots");

  private static Chromium chromium;
  private static WorkHouse work;

  @BeforeAll
  static void open(@TempDir Path folder) throws Exception {
    chromium = Chromium.start();
    work =
        WorkHouse.open(
            folder,
            Map.of(
                "CONVOKE_BOT_COMMAND", "exec sleep 900",
                "CONVOKE_BOTS_RESERVED_TIMEOUT", "3s",
                "CONVOKE_BOTS_SWEEP_INTERVAL", "10m"));
    work.pod("pod-a", "eu-west-1", 3);
  }

  @AfterAll
  static void close() {
    if (work != null) {
      work.close();
      chromium.close();
    }
  }

  @Test
  void slotsFillAndEmptyAndWhatEndedBadlyIsDoneAgainAfterADryRun() throws Exception {
    try (Reader reader = atDesk(ColorScheme.LIGHT)) {
      reader.operate("/dispatch?type=record", House.ADMIN).isSettled();
      reader.counts(reader.find("[data-region=eu-west-1] .slot"), 3);
      reader.counts(reader.find(".slot-taken"), 0);
      String runs = work.task("design-review", "record", "eu-west-1");
      reader.counts(reader.find("[data-region=eu-west-1] .slot-taken"), 1);
      reader.sees(row(reader, runs), "running");
      work.finish("design-review");
      reader.counts(reader.find(".slot-taken"), 0);
      reader.sees(row(reader, runs), "done");

      String held = work.task("all-hands", "record", "eu-west-1");
      reader.counts(reader.find(".slot-taken"), 1);
      for (String channel : List.of("closed-1", "closed-2")) {
        var _ = work.heard("task.failed", "task:" + work.task(channel, "record", "eu-west-1"));
      }
      reader.press("7");
      reader.isAt("/dispatch\\?type=record&show=dead");
      reader.counts(reader.find("[data-row]"), 2);
      Axe.findsNothingSerious(reader.page(), "dead letters");
      reader.find("button:has-text('Do all again')").click();
      reader.sees(reader.find(".bulk-sum"), "Dry run: 2 of 2");
      Axe.findsNothingSerious(reader.page(), "dry run");
      reader.find(".bulk-list input").first().uncheck();
      reader.find("dialog button[type=submit]").click();
      reader.sees(reader.find(".bulk-sum"), "1 of 1");
      reader.sees(reader.find(".bulk-list"), "requeued as");
      reader.press("Escape");
      reader.counts(reader.find("dialog"), 0);

      reader.press("3");
      reader.counts(reader.find("[data-row]"), 1);
      reader.press("j");
      reader.press("Enter");
      reader.isAt("/dispatch/" + held);
      reader.sees(reader.find(".turn"), "Lease of pod-a");
      reader.sees(reader.find(".timeline"), "Task runs");
      assertThat(reader.find(".payload").textContent()).contains("***").doesNotContain("secret");
      Axe.findsNothingSerious(reader.page(), "a task that runs");
      reader.press("x");
      reader.sees(reader.find("dialog"), "Stop this task?");
      reader.press("Enter");
      reader.sees(reader.find(".meta .chip"), "done");
      reader.press("u");
      reader.isAt("/dispatch");
      reader.hadNoTroubleBut();
    }
  }

  @Test
  void aPodIsDrainedAndTakesTasksAgain() throws Exception {
    try (Reader reader = atDesk(ColorScheme.DARK)) {
      reader.operate("/dispatch?type=record", House.ADMIN).isSettled();
      reader.find(".pod button:has-text('Drain')").first().click();
      reader.sees(reader.find("dialog"), "takes no more tasks");
      Axe.findsNothingSerious(reader.page(), "asked to drain");
      reader.press("Enter");
      reader.sees(reader.find(".pod .chip"), "drained");
      Axe.findsNothingSerious(reader.page(), "a drained pod");
      String waits = work.task("stand-up", "record", "eu-west-1");
      reader.sees(row(reader, waits), "waiting");

      reader.find(".pod button:has-text('Resume')").first().click();
      reader.press("Enter");
      reader.counts(reader.find(".pod .chip"), 0);
      reader.sees(row(reader, waits), "running");
      work.finish("stand-up");
      reader.sees(row(reader, waits), "done");
      reader.hadNoTroubleBut();
    }
  }

  @Test
  void deafBotsAreLateAndAreEndedByForceTogether() throws Exception {
    try (Reader reader = atDesk(ColorScheme.DARK)) {
      reader.operate("/bots", House.ADMIN).isSettled();
      List<Long> deaf = List.of(work.bot("deaf-1"), work.bot("deaf-2"), work.bot("deaf-3"));
      reader.counts(reader.find("[data-row]"), 3);
      reader.press("6");
      reader.sees(reader.row(deaf.getFirst()), "late");
      reader.sees(reader.row(deaf.getLast()), "late");
      Axe.findsNothingSerious(reader.page(), "bots, late ones");

      reader.press("j");
      reader.press("Enter");
      reader.isAt("/bots/" + deaf.getFirst());
      reader.sees(reader.find(".turn"), "late");
      reader.press("x");
      reader.sees("Ask the bot to leave?");
      reader.press("Enter");
      reader.sees(reader.find(".told"), "leave");
      reader.sees(reader.find(".botcard-state"), "failed");
      Axe.findsNothingSerious(reader.page(), "a bot that was told to leave");
      reader.press("u");
      reader.counts(reader.find("[data-row]"), 2);

      reader.press("Shift+K");
      reader.sees(reader.find("dialog"), "by force?");
      reader.sees(reader.find(".bulk-sum"), "Dry run: 2 of 2");
      reader.find("dialog button[type=submit]").click();
      reader.sees(reader.find(".bulk-list"), "is being ended");
      reader.press("Escape");
      reader.counts(reader.find("[data-row]"), 0);
      for (long id : deaf) {
        assertThat(work.olivia.get("/meetings/" + id).body().path("status").asString())
            .isEqualTo("failed");
      }
      reader.operate("/bots/" + deaf.getLast(), House.ADMIN);
      reader.sees(reader.find(".timeline"), "Bot is to be ended by force");
      reader.hadNoTroubleBut();
    }
  }

  @Test
  void theOperatorBeginsWithWhatNeedsAPersonAndEverybodyElseWithTheMeetings() throws Exception {
    var _ = work.heard("task.failed", "task:" + work.task("closed-9", "probe", "eu-west-1"));
    try (Reader reader = atDesk(ColorScheme.LIGHT)) {
      reader.operate("", House.ADMIN).isSettled();
      reader.isAt("/overview");
      reader.sees(reader.find(".needs"), "dead letter");
      reader.sees(reader.find(".needs"), "No syncs that failed or stand still");
      reader.counts(reader.find(".parts .chip-done"), 6);
      reader.counts(reader.find(".figure canvas"), 6);
      Axe.findsNothingSerious(reader.page(), "overview");
      reader.page().context().setOffline(true);
      reader.sees(reader.find(".parts"), "was ok");
      reader.page().context().setOffline(false);
      reader.isSettled();
      reader.press("g");
      reader.press("d");
      reader.isAt("/dispatch");
      reader.hadNoTroubleBut("Failed to load resource", "net::ERR");
    }
    try (Reader reader = atDesk(ColorScheme.LIGHT)) {
      reader.open("", work.key).isSettled();
      reader.isAt("/meetings");
      reader.counts(reader.find("nav a:has-text('Overview')"), 0);
      reader.open("/dispatch", work.key).isSettled();
      reader.counts(reader.find("[data-region=eu-west-1]"), 1);
      reader.hadNoTroubleBut();
    }
  }

  @Test
  void aPhoneReachesEveryPageFromItsBar() throws Exception {
    var _ = work.heard("task.failed", "task:" + work.task("closed-7", "probe", "eu-west-1"));
    try (Reader reader = Reader.onPhone(chromium.browser(), work.house.server().url())) {
      reader.operate("/meetings", House.ADMIN).isSettled();
      for (String page : PAGES) {
        reader.find(".pages-button").tap();
        reader.find("dialog a[href$='" + page + "']").tap();
        reader.isAt(page);
        reader.counts(reader.find("dialog"), 0);
        reader.isSettled();
        reader.seesNothingBeyondTheEdge();
        Axe.findsNothingSerious(reader.page(), page + " on a phone");
      }
      reader.find(".pages-button").tap();
      reader.counts(reader.find("dialog a.here"), 1);
      Axe.findsNothingSerious(reader.page(), "pages on a phone");
      reader.hadNoTroubleBut();
    }
  }

  private static com.microsoft.playwright.Locator row(Reader reader, String task) {
    return reader.find("[data-row='" + task + "']");
  }

  private static Reader atDesk(ColorScheme scheme) {
    return Reader.atDesk(chromium.browser(), work.house.server().url(), scheme);
  }
}
