package io.convoke.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.ColorScheme;
import io.convoke.journey.Caller;
import io.convoke.journey.House;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The element of seed 003, section 6, on anybody's page and on the console, in a real browser. */
class SyncStatusElementTest {
  private static final String INTERNAL = "the-internal-token";

  private static Chromium chromium;
  private static House house;
  private static String key;
  private static Caller olivia;
  private static Caller jobs;

  @BeforeAll
  static void open(@TempDir Path folder) throws Exception {
    chromium = Chromium.start();
    house = House.open(folder, Map.of("CONVOKE_INTERNAL_TOKEN", INTERNAL));
    key = house.key("olivia@example.org");
    olivia = new Caller(house.server().url(), Map.of("X-API-Key", key));
    jobs = new Caller(house.server().url(), Map.of("Authorization", "Bearer " + INTERNAL));
  }

  @AfterAll
  static void close() {
    if (house != null) {
      house.close();
      chromium.close();
    }
  }

  private static long meeting(String room) throws Exception {
    return olivia
        .post(
            "/meetings", "{\"platform\": \"daily\", \"native_meeting_id\": \"%s\"}".formatted(room))
        .body()
        .path("id")
        .asLong();
  }

  private static void told(long meeting, String status, String step) throws Exception {
    int answered =
        jobs.post(
                "/sync-status",
                "{\"meeting_id\": \"%d\", \"status\": \"%s\", \"step\": \"%s\"}"
                    .formatted(meeting, status, step))
            .status();
    assertThat(answered).isEqualTo(200);
  }

  private static String status(long meeting) throws Exception {
    return jobs.get("/sync-status?meeting_id=" + meeting).body().path("status").asString();
  }

  /** A page of somebody else's that shows the status of one meeting. */
  private static Page anybodysPage(Reader reader, long meeting, String attributes) {
    String html =
        """
        <!doctype html><title>Deals</title>
        <sync-status meeting-id="%d" interval="0.3" %s></sync-status>
        <script type="module">
          import '/sync-status.js';
          window.seen = [];
          addEventListener('sync-status-change', ({ detail }) => window.seen.push(detail.status));
          document.querySelector('sync-status').headers = { 'X-API-Key': '%s' };
        </script>
        """
            .formatted(meeting, attributes, key);
    Page page = reader.page();
    page.route(
        "**/deals.html",
        route ->
            route.fulfill(new Route.FulfillOptions().setContentType("text/html").setBody(html)));
    page.navigate(house.server().url() + "/deals.html");
    return page;
  }

  private static Reader atDesk() {
    return Reader.atDesk(chromium.browser(), house.server().url(), ColorScheme.LIGHT);
  }

  @Test
  void aSpinnerThenACheckThenARetryThatWorks() throws Exception {
    long meeting = meeting("deal-1");
    try (Reader reader = atDesk()) {
      Page page = anybodysPage(reader, meeting, "");
      // It shows nothing before it has asked, too.
      var _ = page.waitForFunction("window.seen?.includes('not_started')");
      reader.counts(reader.find("sync-status[data-state=nothing]"), 1);
      told(meeting, "in_progress", "JobA");
      reader.counts(reader.find("sync-status[data-state=in_progress] svg"), 1);
      reader.sees(
          page.getByRole(com.microsoft.playwright.options.AriaRole.STATUS), "Syncing (JobA)");
      told(meeting, "failure", "JobB");
      Locator again = page.locator("sync-status button");
      reader.sees(again, "Sync failed (JobB)");
      again.click();
      reader.counts(reader.find("sync-status[data-state=in_progress]"), 1);
      told(meeting, "success", "JobC");
      reader.counts(reader.find("sync-status[data-state=success]"), 1);
      assertThat(page.evaluate("window.seen.join()").toString())
          .isEqualTo("not_started,in_progress,failure,in_progress,success");
      reader.hadNoTroubleBut();
    }
  }

  @Test
  void whatCannotBeAskedIsShownAsOldAndAskedEverMoreRarely() throws Exception {
    long meeting = meeting("deal-2");
    told(meeting, "success", "JobC");
    try (Reader reader = atDesk()) {
      Page page = anybodysPage(reader, meeting, "");
      reader.counts(reader.find("sync-status[data-state=success]:not([data-old])"), 1);
      page.route("**/sync-status?*", route -> route.abort());
      reader.counts(reader.find("sync-status[data-state=success][data-old]"), 1);
      assertThat(page.locator("sync-status span[role]").getAttribute("title"))
          .contains("Synced, as it was");
      page.unroute("**/sync-status?*");
      reader.counts(reader.find("sync-status[data-state=success]:not([data-old])"), 1);
      reader.hadNoTroubleBut("Failed to load resource");
    }
  }

  @Test
  void whatIsKnownIsNotLoadedAgain() throws Exception {
    long meeting = meeting("deal-3");
    told(meeting, "in_progress", "JobA");
    try (Reader reader = atDesk()) {
      Page page = anybodysPage(reader, meeting, "");
      page.waitForResponse(
          answer -> answer.url().contains("/sync-status?") && answer.status() == 304, () -> {});
      reader.counts(reader.find("sync-status[data-state=in_progress]"), 1);
    }
  }

  @Test
  void withAnEventStreamChangesAreShownAtOnce() throws Exception {
    long meeting = meeting("deal-4");
    told(meeting, "in_progress", "JobA");
    try (Reader reader = atDesk()) {
      Page page = anybodysPage(reader, meeting, "events=\"/events\"");
      reader.counts(reader.find("sync-status[data-state=in_progress]"), 1);
      page.waitForFunction("document.querySelector('sync-status').isTold");
      page.route("**/sync-status?*", route -> route.abort());
      told(meeting, "success", "JobC");
      reader.counts(reader.find("sync-status[data-state=success]"), 1);
    }
  }

  @Test
  void theOperatorSeesWhatFailedAndTriesItAgain() throws Exception {
    long meeting = meeting("deal-6");
    told(meeting, "failure", "JobB");
    try (Reader reader = atDesk()) {
      reader.page().navigate(house.server().url() + "/console/syncs#admin=" + House.ADMIN);
      Locator failed = reader.find("sync-status[meeting-id='" + meeting + "'] button");
      reader.sees(failed, "Sync failed (JobB)");
      failed.click();
      reader.counts(
          reader.find("sync-status[meeting-id='" + meeting + "'][data-state=in_progress]"), 1);
      reader.hadNoTroubleBut();
    }
  }

  @Test
  void theOperatorLetsOneBeAndTriesAllOthersAgain() throws Exception {
    long one = meeting("deal-7");
    long other = meeting("deal-8");
    told(one, "failure", "JobA");
    told(other, "failure", "JobB");
    try (Reader reader = atDesk()) {
      reader.page().navigate(house.server().url() + "/console/syncs#admin=" + House.ADMIN);
      reader.find("button[aria-label='Dismiss: the sync of " + one + "']").click();
      reader.sees("Let be until it changes.");
      reader.counts(reader.find("sync-status[meeting-id='" + one + "']"), 0);
      Axe.findsNothingSerious(reader.page(), "syncs that need a look");

      // Who is asked for too much says when to come back.
      AtomicInteger asked = new AtomicInteger();
      reader
          .page()
          .route(
              "**/sync-status/" + other + "/retry",
              route -> {
                if (asked.getAndIncrement() > 0) {
                  route.resume();
                } else {
                  route.fulfill(
                      new Route.FulfillOptions()
                          .setStatus(429)
                          .setHeaders(Map.of("Retry-After", "1"))
                          .setBody("{}"));
                }
              });
      reader.press("a");
      reader.sees(reader.find("dialog"), "Try all of them again?");
      reader.find("dialog button:has-text('Try again')").click();
      reader.sees("are tried again");
      reader.counts(reader.find("sync-status[meeting-id='" + other + "']"), 0);
      reader.hadNoTroubleBut("Failed to load resource");
    }
    assertThat(status(one)).isEqualTo("failure");
    assertThat(status(other)).isEqualTo("in_progress");
  }

  @Test
  void theConsoleGoesFromSpinnerToCheck() throws Exception {
    long meeting = meeting("deal-5");
    told(meeting, "in_progress", "JobA");
    try (Reader reader = atDesk()) {
      reader.open("/meetings/" + meeting, key).isSettled();
      reader.counts(reader.find("sync-status[data-state=in_progress]"), 1);
      told(meeting, "success", "JobC");
      reader.counts(reader.find("sync-status[data-state=success]"), 1);
      reader.sees(reader.find(".timeline"), "Synced to the CRM");
      reader.hadNoTroubleBut();
    }
  }
}
