package io.convoke.e2e.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.options.ColorScheme;
import io.convoke.e2e.journey.JourneyTestServer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Dispatch, bots and the overview in a real browser, on a server whose bots are deaf and whose
 * tasks find shut doors.
 */
@Tag("heavy")
@Tag("nightly")
class WorkPagesTest {
  private static final List<String> PAGES = List.of("/overview", "/dispatch", "/bots");

  private static Chromium chromium;
  private static PodConsoleServer work;

  @BeforeAll
  static void open(@TempDir Path folder) throws Exception {
    chromium = Chromium.start();
    work =
        PodConsoleServer.open(
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
  void slotsFillAndEmptyAndFailedTasksAreRetriedAfterADryRun() throws Exception {
    try (ConsoleUser consoleUser = onDesktop(ColorScheme.LIGHT)) {
      consoleUser.operate("/dispatch?type=record", JourneyTestServer.ADMIN).isSettled();
      consoleUser.counts(consoleUser.find("[data-region=eu-west-1] .slot"), 3);
      consoleUser.counts(consoleUser.find(".slot-taken"), 0);
      String runs = work.task("design-review", "record", "eu-west-1");
      consoleUser.counts(consoleUser.find("[data-region=eu-west-1] .slot-taken"), 1);
      consoleUser.sees(row(consoleUser, runs), "running");
      work.finish("design-review");
      consoleUser.counts(consoleUser.find(".slot-taken"), 0);
      consoleUser.sees(row(consoleUser, runs), "done");

      String held = work.task("all-hands", "record", "eu-west-1");
      consoleUser.counts(consoleUser.find(".slot-taken"), 1);
      for (String channel : List.of("closed-1", "closed-2")) {
        var _ = work.awaitEvent("task.failed", "task:" + work.task(channel, "record", "eu-west-1"));
      }
      consoleUser.press("7");
      consoleUser.isAt("/dispatch\\?type=record&show=dead");
      consoleUser.counts(consoleUser.find("[data-row]"), 2);
      Axe.findsNothingSerious(consoleUser.page(), "dead letters");
      consoleUser.find("button:has-text('Do all again')").click();
      consoleUser.sees(consoleUser.find(".bulk-sum"), "Dry run: 2 of 2");
      Axe.findsNothingSerious(consoleUser.page(), "dry run");
      consoleUser.find(".bulk-list input").first().uncheck();
      consoleUser.find("dialog button[type=submit]").click();
      consoleUser.sees(consoleUser.find(".bulk-sum"), "1 of 1");
      consoleUser.sees(consoleUser.find(".bulk-list"), "requeued as");
      consoleUser.press("Escape");
      consoleUser.counts(consoleUser.find("dialog"), 0);

      consoleUser.press("3");
      consoleUser.isAt("/dispatch\\?type=record&show=running");
      // The dead letters are shown until the running tasks are loaded.
      consoleUser.counts(consoleUser.find("[data-row]:has-text('all-hands')"), 1);
      consoleUser.counts(consoleUser.find("[data-row]"), 1);
      consoleUser.press("j");
      consoleUser.press("Enter");
      consoleUser.isAt("/dispatch/" + held);
      consoleUser.sees(consoleUser.find(".turn"), "Lease of pod-a");
      consoleUser.sees(consoleUser.find(".timeline"), "Task runs");
      assertThat(consoleUser.find(".payload").textContent())
          .contains("***")
          .doesNotContain("secret");
      Axe.findsNothingSerious(consoleUser.page(), "a task that runs");
      consoleUser.press("x");
      consoleUser.sees(consoleUser.find("dialog"), "Stop this task?");
      consoleUser.press("Enter");
      consoleUser.sees(consoleUser.find(".meta .chip"), "done");
      consoleUser.press("u");
      consoleUser.isAt("/dispatch");
      consoleUser.hadNoErrorsExcept();
    }
  }

  @Test
  void slotsAreNotShownAsFreeWhileTheRunningTasksCannotBeRead() throws Exception {
    String task = work.task("half-known", "record", "eu-west-1");
    try (ConsoleUser consoleUser = onDesktop(ColorScheme.LIGHT)) {
      AtomicBoolean away = new AtomicBoolean(true);
      consoleUser.refuse(
          url -> url.contains("state=PROCESSING") || url.contains("/timeline?"), away::get);
      consoleUser.operate("/dispatch?type=record", JourneyTestServer.ADMIN).isSettled();
      consoleUser.sees(consoleUser.find(".problem"), "Service Unavailable");
      consoleUser.sees(consoleUser.find("[data-region=eu-west-1]"), "of 3 slots taken");
      consoleUser.counts(consoleUser.find(".slot"), 0);
      Axe.findsNothingSerious(consoleUser.page(), "slots of which nothing is known");
      away.set(false);
      consoleUser.counts(consoleUser.find("[data-region=eu-west-1] .slot-taken"), 1);

      away.set(true);
      ConsoleUser _ = consoleUser.operate("/dispatch/" + task, JourneyTestServer.ADMIN);
      consoleUser.sees(consoleUser.find(".problem"), "Service Unavailable");
      away.set(false);
      consoleUser.sees(consoleUser.find(".timeline"), "Task runs");
      consoleUser.hadNoErrorsExcept("Failed to load resource");
    }
    work.finish("half-known");
    var _ = work.awaitEvent("task.success", "task:" + task);
  }

  @Test
  void aPodIsDrainedAndTakesTasksAgain() throws Exception {
    try (ConsoleUser consoleUser = onDesktop(ColorScheme.DARK)) {
      consoleUser.operate("/dispatch?type=record", JourneyTestServer.ADMIN).isSettled();
      consoleUser.find(".pod button:has-text('Drain')").first().click();
      consoleUser.sees(consoleUser.find("dialog"), "takes no more tasks");
      Axe.findsNothingSerious(consoleUser.page(), "asked to drain");
      consoleUser.press("Enter");
      consoleUser.sees(consoleUser.find(".pod .chip"), "drained");
      Axe.findsNothingSerious(consoleUser.page(), "a drained pod");
      String waits = work.task("stand-up", "record", "eu-west-1");
      consoleUser.sees(row(consoleUser, waits), "waiting");

      consoleUser.find(".pod button:has-text('Resume')").first().click();
      consoleUser.press("Enter");
      consoleUser.counts(consoleUser.find(".pod .chip"), 0);
      consoleUser.sees(row(consoleUser, waits), "running");
      work.finish("stand-up");
      consoleUser.sees(row(consoleUser, waits), "done");
      consoleUser.hadNoErrorsExcept();
    }
  }

  @Test
  void deafBotsAreLateAndAreEndedByForceTogether() throws Exception {
    try (ConsoleUser consoleUser = onDesktop(ColorScheme.DARK)) {
      consoleUser.operate("/bots", JourneyTestServer.ADMIN).isSettled();
      List<Long> hung = List.of(work.bot("deaf-1"), work.bot("deaf-2"), work.bot("deaf-3"));
      consoleUser.counts(consoleUser.find("[data-row]"), 3);
      consoleUser.press("6");
      consoleUser.sees(consoleUser.row(hung.getFirst()), "late");
      consoleUser.sees(consoleUser.row(hung.getLast()), "late");
      Axe.findsNothingSerious(consoleUser.page(), "bots, late ones");

      consoleUser.press("j");
      consoleUser.press("Enter");
      consoleUser.isAt("/bots/" + hung.getFirst());
      consoleUser.sees(consoleUser.find(".turn"), "late");
      consoleUser.press("x");
      consoleUser.sees("Ask the bot to leave?");
      consoleUser.press("Enter");
      consoleUser.sees(consoleUser.find(".told"), "leave");
      consoleUser.sees(consoleUser.find(".botcard-state"), "failed");
      Axe.findsNothingSerious(consoleUser.page(), "a bot that was told to leave");
      consoleUser.press("u");
      consoleUser.counts(consoleUser.find("[data-row]"), 2);

      consoleUser.press("Shift+K");
      consoleUser.sees(consoleUser.find("dialog"), "by force?");
      consoleUser.sees(consoleUser.find(".bulk-sum"), "Dry run: 2 of 2");
      consoleUser.find("dialog button[type=submit]").click();
      consoleUser.sees(consoleUser.find(".bulk-list"), "is being ended");
      consoleUser.press("Escape");
      consoleUser.counts(consoleUser.find("[data-row]"), 0);
      for (long id : hung) {
        assertThat(work.olivia.get("/meetings/" + id).body().path("status").asString())
            .isEqualTo("failed");
      }
      consoleUser.operate("/bots/" + hung.getLast(), JourneyTestServer.ADMIN);
      consoleUser.sees(consoleUser.find(".timeline"), "Bot is to be ended by force");
      consoleUser.hadNoErrorsExcept();
    }
  }

  @Test
  void operatorsStartWithOpenProblemsAndUsersWithTheMeetings() throws Exception {
    var _ = work.awaitEvent("task.failed", "task:" + work.task("closed-9", "probe", "eu-west-1"));
    try (ConsoleUser consoleUser = onDesktop(ColorScheme.LIGHT)) {
      consoleUser.operate("", JourneyTestServer.ADMIN).isSettled();
      consoleUser.isAt("/overview");
      consoleUser.sees(consoleUser.find(".needs"), "dead letter");
      consoleUser.sees(consoleUser.find(".needs"), "No syncs that failed or stand still");
      consoleUser.counts(consoleUser.find(".parts .chip-done"), 6);
      consoleUser.counts(consoleUser.find(".figure canvas"), 6);
      Axe.findsNothingSerious(consoleUser.page(), "overview");
      consoleUser.page().context().setOffline(true);
      consoleUser.sees(consoleUser.find(".parts"), "was ok");
      consoleUser.page().context().setOffline(false);
      consoleUser.isSettled();
      consoleUser.press("g");
      consoleUser.press("d");
      consoleUser.isAt("/dispatch");
      consoleUser.hadNoErrorsExcept("Failed to load resource", "net::ERR");
    }
    try (ConsoleUser consoleUser = onDesktop(ColorScheme.LIGHT)) {
      consoleUser.open("", work.key).isSettled();
      consoleUser.isAt("/meetings");
      consoleUser.counts(consoleUser.find("nav a:has-text('Overview')"), 0);
      consoleUser.open("/dispatch", work.key).isSettled();
      consoleUser.counts(consoleUser.find("[data-region=eu-west-1]"), 1);
      consoleUser.hadNoErrorsExcept();
    }
  }

  @Test
  void theOverviewIsNotCalledWellWhileANumberIsMissing() {
    try (ConsoleUser consoleUser = onDesktop(ColorScheme.LIGHT)) {
      consoleUser.refuse(url -> url.contains("/sync-status/problems"), () -> true);
      consoleUser.operate("/overview", JourneyTestServer.ADMIN).isSettled();
      consoleUser.sees(consoleUser.find(".needs"), "It could not be asked: Service Unavailable");
      consoleUser.sees(consoleUser.find(".summary"), "Not everything could be asked");
      consoleUser.hadNoErrorsExcept("Failed to load resource");
    }
  }

  @Test
  void aPhoneReachesEveryPageFromItsBar() throws Exception {
    var _ = work.awaitEvent("task.failed", "task:" + work.task("closed-7", "probe", "eu-west-1"));
    try (ConsoleUser consoleUser =
        ConsoleUser.onPhone(chromium.browser(), work.journeyServer.server().url())) {
      consoleUser.operate("/meetings", JourneyTestServer.ADMIN).isSettled();
      for (String page : PAGES) {
        consoleUser.find(".pages-button").tap();
        consoleUser.find("dialog a[href$='" + page + "']").tap();
        consoleUser.isAt(page);
        consoleUser.counts(consoleUser.find("dialog"), 0);
        consoleUser.isSettled();
        consoleUser.seesNothingBeyondTheEdge();
        Axe.findsNothingSerious(consoleUser.page(), page + " on a phone");
      }
      consoleUser.find(".pages-button").tap();
      consoleUser.counts(consoleUser.find("dialog a.here"), 1);
      Axe.findsNothingSerious(consoleUser.page(), "pages on a phone");
      consoleUser.hadNoErrorsExcept();
    }
  }

  private static com.microsoft.playwright.Locator row(ConsoleUser consoleUser, String task) {
    return consoleUser.find("[data-row='" + task + "']");
  }

  private static ConsoleUser onDesktop(ColorScheme scheme) {
    return ConsoleUser.onDesktop(chromium.browser(), work.journeyServer.server().url(), scheme);
  }
}
