package io.convoke.e2e.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.ColorScheme;
import io.convoke.e2e.journey.ApiUser;
import io.convoke.e2e.journey.JourneyTestServer;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The element of docs/spec/sync.md on a foreign page and on the console, in a real browser. */
@Tag("heavy")
@Tag("nightly")
class SyncStatusElementTest {
  private static final String INTERNAL = "the-internal-token";

  private static Chromium chromium;
  private static JourneyTestServer testServer;
  private static String key;
  private static ApiUser olivia;
  private static ApiUser jobs;

  @BeforeAll
  static void open(@TempDir Path folder) throws Exception {
    chromium = Chromium.start();
    testServer = JourneyTestServer.open(folder, Map.of("CONVOKE_INTERNAL_TOKEN", INTERNAL));
    key = testServer.key("olivia@example.org");
    olivia = new ApiUser(testServer.server().url(), Map.of("X-API-Key", key));
    jobs = new ApiUser(testServer.server().url(), Map.of("Authorization", "Bearer " + INTERNAL));
  }

  @AfterAll
  static void close() {
    if (testServer != null) {
      testServer.close();
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

  private static void update(long meeting, String status, String step) throws Exception {
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

  /** A foreign page that shows the status of one meeting. */
  private static Page anybodysPage(ConsoleUser consoleUser, long meeting, String attributes) {
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
    Page page = consoleUser.page();
    page.route(
        "**/deals.html",
        route ->
            route.fulfill(new Route.FulfillOptions().setContentType("text/html").setBody(html)));
    page.navigate(testServer.server().url() + "/deals.html");
    return page;
  }

  private static ConsoleUser onDesktop() {
    return ConsoleUser.onDesktop(chromium.browser(), testServer.server().url(), ColorScheme.LIGHT);
  }

  @Test
  void aSpinnerThenACheckThenARetryThatWorks() throws Exception {
    long meeting = meeting("deal-1");
    try (ConsoleUser consoleUser = onDesktop()) {
      Page page = anybodysPage(consoleUser, meeting, "");
      // It shows nothing before it has asked, too.
      var _ = page.waitForFunction("window.seen?.includes('not_started')");
      consoleUser.counts(consoleUser.find("sync-status[data-state=nothing]"), 1);
      update(meeting, "in_progress", "JobA");
      consoleUser.counts(consoleUser.find("sync-status[data-state=in_progress] svg"), 1);
      consoleUser.sees(
          page.getByRole(com.microsoft.playwright.options.AriaRole.STATUS), "Syncing (JobA)");
      update(meeting, "failure", "JobB");
      Locator again = page.locator("sync-status button");
      consoleUser.sees(again, "Sync failed (JobB)");
      again.click();
      consoleUser.counts(consoleUser.find("sync-status[data-state=in_progress]"), 1);
      update(meeting, "success", "JobC");
      consoleUser.counts(consoleUser.find("sync-status[data-state=success]"), 1);
      assertThat(page.evaluate("window.seen.join()").toString())
          .isEqualTo("not_started,in_progress,failure,in_progress,success");
      consoleUser.hadNoErrorsExcept();
    }
  }

  @Test
  void anUnreachableStatusIsShownAsStaleAndPolledWithBackoff() throws Exception {
    long meeting = meeting("deal-2");
    update(meeting, "success", "JobC");
    try (ConsoleUser consoleUser = onDesktop()) {
      Page page = anybodysPage(consoleUser, meeting, "");
      consoleUser.counts(consoleUser.find("sync-status[data-state=success]:not([data-old])"), 1);
      page.route("**/sync-status?*", route -> route.abort());
      consoleUser.counts(consoleUser.find("sync-status[data-state=success][data-old]"), 1);
      assertThat(page.locator("sync-status span[role]").getAttribute("title"))
          .contains("Synced, as it was");
      page.unroute("**/sync-status?*");
      consoleUser.counts(consoleUser.find("sync-status[data-state=success]:not([data-old])"), 1);
      consoleUser.hadNoErrorsExcept("Failed to load resource");
    }
  }

  @Test
  void aCachedStatusIsNotLoadedAgain() throws Exception {
    long meeting = meeting("deal-3");
    update(meeting, "in_progress", "JobA");
    try (ConsoleUser consoleUser = onDesktop()) {
      Page page = anybodysPage(consoleUser, meeting, "");
      page.waitForResponse(
          answer -> answer.url().contains("/sync-status?") && answer.status() == 304, () -> {});
      consoleUser.counts(consoleUser.find("sync-status[data-state=in_progress]"), 1);
    }
  }

  @Test
  void withAnEventStreamChangesAreShownAtOnce() throws Exception {
    long meeting = meeting("deal-4");
    update(meeting, "in_progress", "JobA");
    try (ConsoleUser consoleUser = onDesktop()) {
      Page page = anybodysPage(consoleUser, meeting, "events=\"/events\"");
      consoleUser.counts(consoleUser.find("sync-status[data-state=in_progress]"), 1);
      page.waitForFunction("document.querySelector('sync-status').isTold");
      page.route("**/sync-status?*", route -> route.abort());
      update(meeting, "success", "JobC");
      consoleUser.counts(consoleUser.find("sync-status[data-state=success]"), 1);
    }
  }

  @Test
  void theOperatorSeesFailuresAndRetriesThem() throws Exception {
    long meeting = meeting("deal-6");
    update(meeting, "failure", "JobB");
    try (ConsoleUser consoleUser = onDesktop()) {
      consoleUser
          .page()
          .navigate(testServer.server().url() + "/console/syncs#admin=" + JourneyTestServer.ADMIN);
      Locator failed = consoleUser.find("sync-status[meeting-id='" + meeting + "'] button");
      consoleUser.sees(failed, "Sync failed (JobB)");
      failed.click();
      consoleUser.counts(
          consoleUser.find("sync-status[meeting-id='" + meeting + "'][data-state=in_progress]"), 1);
      consoleUser.hadNoErrorsExcept();
    }
  }

  @Test
  void theOperatorLetsOneBeAndTriesAllOthersAgain() throws Exception {
    long one = meeting("deal-7");
    long other = meeting("deal-8");
    update(one, "failure", "JobA");
    update(other, "failure", "JobB");
    try (ConsoleUser consoleUser = onDesktop()) {
      consoleUser
          .page()
          .navigate(testServer.server().url() + "/console/syncs#admin=" + JourneyTestServer.ADMIN);
      consoleUser.find("button[aria-label='Dismiss: the sync of " + one + "']").click();
      consoleUser.sees("Let be until it changes.");
      consoleUser.counts(consoleUser.find("sync-status[meeting-id='" + one + "']"), 0);
      Axe.findsNothingSerious(consoleUser.page(), "syncs that need a look");

      // A 429 says when to retry.
      AtomicInteger asked = new AtomicInteger();
      consoleUser
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
      consoleUser.press("a");
      consoleUser.sees(consoleUser.find("dialog"), "Try all of them again?");
      consoleUser.find("dialog button:has-text('Try again')").click();
      consoleUser.sees("are tried again");
      consoleUser.counts(consoleUser.find("sync-status[meeting-id='" + other + "']"), 0);
      consoleUser.hadNoErrorsExcept("Failed to load resource");
    }
    assertThat(status(one)).isEqualTo("failure");
    assertThat(status(other)).isEqualTo("in_progress");
  }

  @Test
  void theConsoleGoesFromSpinnerToCheck() throws Exception {
    long meeting = meeting("deal-5");
    update(meeting, "in_progress", "JobA");
    try (ConsoleUser consoleUser = onDesktop()) {
      consoleUser.open("/meetings/" + meeting, key).isSettled();
      consoleUser.counts(consoleUser.find("sync-status[data-state=in_progress]"), 1);
      update(meeting, "success", "JobC");
      consoleUser.counts(consoleUser.find("sync-status[data-state=success]"), 1);
      consoleUser.sees(consoleUser.find(".timeline"), "Synced to the CRM");
      consoleUser.hadNoErrorsExcept();
    }
  }
}
