package io.convoke.e2e.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Download;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import com.sun.net.httpserver.HttpServer;
import io.convoke.e2e.journey.ApiUser;
import io.convoke.e2e.journey.JourneyTestServer;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Workflows, events, webhooks and users in a real browser, by keyboard, on a server with troubles.
 * With {@code -Dconvoke.pictures=true} it takes the pictures of the documentation on the way.
 */
@Tag("heavy")
@Tag("nightly")
class OperatorPagesTest {
  private static final String NETWORK = "Failed to load resource";
  private static final Path IMAGES = Path.of("..", "docs", "images");
  private static final String LONGEST_TASK =
      """
      () => new Promise((resolve) => {
        new PerformanceObserver((list, self) => {
          self.disconnect();
          resolve(Math.max(...list.getEntries().map(({ duration }) => duration)));
        }).observe({ type: 'longtask', buffered: true });
        setTimeout(() => resolve(0), 300);
      })
      """;

  private static Chromium chromium;
  private static JourneyTestServer testServer;
  private static Database database;
  private static HttpServer receiver;
  private static final AtomicInteger requests = new AtomicInteger();
  private static final AtomicInteger answer = new AtomicInteger(410);

  /**
   * A second retry comes after 33 s: if the first request, which is not answered, has timed out
   * before its workflow is terminated, it counts as an attempt.
   */
  private static final double RETRY_MS = 60_000;

  /** The first request, of a workflow that is terminated, is not answered before the end. */
  private static final CountDownLatch ended = new CountDownLatch(1);

  /** The second request is answered 500, and later ones when this is open. */
  private static final CountDownLatch mayAnswer = new CountDownLatch(1);

  @BeforeAll
  static void open(@TempDir Path folder) throws Exception {
    chromium = Chromium.start();
    testServer = JourneyTestServer.open(folder, Map.of("CONVOKE_WEBHOOKS_ALLOW_PRIVATE", "true"));
    database =
        Database.open(DatabaseUrl.parse(testServer.databaseUrl()), 1, "test", List.of("convoke"));
    receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 16);
    receiver.createContext(
        "/",
        call -> {
          int request = requests.incrementAndGet();
          try {
            (request == 1 ? ended : request == 2 ? new CountDownLatch(0) : mayAnswer).await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
          call.sendResponseHeaders(request == 2 ? 500 : answer.get(), -1);
          call.close();
        });
    receiver.setExecutor(Thread::startVirtualThread);
    receiver.start();
  }

  @AfterAll
  static void close() {
    ended.countDown();
    if (testServer != null) {
      receiver.stop(0);
      database.close();
      testServer.close();
      chromium.close();
    }
  }

  @Timeout(180)
  @Test
  void aFailingEndpointIsExplainedAndItsWorkflowCanBeSignalledTerminatedAndRestarted() {
    try (ConsoleUser consoleUser = operator(ColorScheme.LIGHT, "/")) {
      consoleUser.press("g");
      consoleUser.press("h");
      consoleUser.sees(consoleUser.find("h1"), "Webhooks");
      consoleUser.sees("No endpoints yet");
      Axe.findsNothingSerious(consoleUser.page(), "no webhooks");
      consoleUser.press("n");
      consoleUser.type("http://localhost:" + receiver.getAddress().getPort() + "/hooks");
      consoleUser.press("Tab");
      consoleUser.type("sync.status_changed, meeting.status_changed");
      consoleUser.press("Enter");
      consoleUser.sees("Copy it now");
      assertThat(consoleUser.find("input[name=secret]").inputValue()).startsWith("whsec_");
      Axe.findsNothingSerious(consoleUser.page(), "a secret that is shown once");
      consoleUser.press("Escape");
      consoleUser.press("j");
      consoleUser.press("Enter");
      consoleUser.sees(consoleUser.find("h1"), "/hooks");
      consoleUser.press("s");
      consoleUser.sees(consoleUser.find(".ledger"), "webhook_endpoint.test");

      itsWorkflow(consoleUser);

      consoleUser.open("/webhooks/1");
      consoleUser.sees(consoleUser.find(".ledger"), "500");
      consoleUser.sees(consoleUser.find(".ledger .chip"), "waits");
      consoleUser.isSettled();
      Axe.findsNothingSerious(consoleUser.page(), "deliveries");

      mayAnswer.countDown();
      consoleUser.sees(consoleUser.find(".note"), "Paused", RETRY_MS);
      picture(consoleUser, "console-webhook-light.png");
      Axe.findsNothingSerious(consoleUser.page(), "a paused webhook");
      answer.set(200);
      consoleUser.press("r");
      consoleUser.sees(consoleUser.find(".ledger .chip"), "delivered");
      consoleUser.counts(consoleUser.find(".note"), 0);
      consoleUser.find(".ledger button").click();
      consoleUser.counts(consoleUser.find(".ledger .chip-done"), 2);
      consoleUser.hadNoErrorsExcept(NETWORK);
    }
  }

  /** The workflow that sends to the endpoint: it gets an event, is terminated and restarted. */
  private static void itsWorkflow(ConsoleUser consoleUser) {
    consoleUser.press("g");
    consoleUser.press("w");
    consoleUser.sees(consoleUser.find(".ledger"), "webhook-1-");
    consoleUser.press("j");
    consoleUser.press("Enter");
    consoleUser.sees(consoleUser.find("h1"), "webhook-1-");
    consoleUser.sees(consoleUser.find(".timeline"), "Ordered webhook-lane.send");
    assertThat(consoleUser.find(".bar[data-open]").count()).isPositive();
    consoleUser.press("e");
    consoleUser.type("wake");
    consoleUser.press("Tab");
    consoleUser.type("no json");
    consoleUser.press("Enter");
    consoleUser.sees("Data is not JSON");
    consoleUser.page().keyboard().press("Control+a");
    consoleUser.type("{\"why\": \"it is back\"}");
    consoleUser.press("Enter");
    consoleUser.sees(consoleUser.find(".timeline"), "wake");
    consoleUser.sees(consoleUser.find(".lane-names"), "Event wake");
    consoleUser.press("x");
    consoleUser.type("by hand");
    consoleUser.press("Enter");
    consoleUser.sees(consoleUser.find(".note"), "Failed");
    consoleUser.sees(consoleUser.find(".meta .chip"), "failed");
    Axe.findsNothingSerious(consoleUser.page(), "a workflow");
    picture(consoleUser, "console-workflow-light.png");
    consoleUser.press("r");
    consoleUser.sees(consoleUser.find(".meta"), "execution 2");
    consoleUser.sees(consoleUser.find(".meta .chip"), "completed");
  }

  @Test
  void theJournalIsFoundFollowedAndSaved() throws Exception {
    ApiUser nina = testServer.user("nina@example.org");
    long meeting =
        nina.post("/meetings", "{\"platform\": \"daily\", \"native_meeting_id\": \"the-room\"}")
            .body()
            .path("id")
            .asLong();
    try (ConsoleUser consoleUser =
        operator(ColorScheme.DARK, "/events?type=meeting.status_changed")) {
      consoleUser.sees(consoleUser.find(".timeline"), "meeting:" + meeting);
      consoleUser.press("j");
      consoleUser.press("Enter");
      consoleUser.sees(consoleUser.find("details[open]"), "\"seq\"");
      Axe.findsNothingSerious(consoleUser.page(), "events that were found");
      picture(consoleUser, "console-events-dark.png");
      Download saved =
          consoleUser.page().waitForDownload(() -> consoleUser.find("text=Save as CSV").click());
      assertThat(Files.readString(saved.path())).startsWith("seq,at,type,subject,data\r\n\"");
      consoleUser.find("details[open] a").first().click();
      consoleUser.isAt("/meetings/" + meeting);

      consoleUser.open("/events?subject=burst:1&show=live").isSettled();
      consoleUser.sees(consoleUser.find(".page > .tools"), "0 seen");
      burst(consoleUser, 600);
      consoleUser.sees(consoleUser.find(".page > .tools"), "600 seen");
      consoleUser.counts(consoleUser.find(".timeline > .entry"), 300);
      System.out.println(
          "600 events in 3 s: the longest task of the page took "
              + consoleUser.page().evaluate(LONGEST_TASK)
              + " ms");
      Axe.findsNothingSerious(consoleUser.page(), "live events");

      consoleUser.press("p");
      burst(consoleUser, 40);
      consoleUser.sees(consoleUser.find(".page > .tools"), "40 since the pause");
      consoleUser.press("1");
      consoleUser.sees(consoleUser.find(".more-rows"), "Load more");
      Download all =
          consoleUser.page().waitForDownload(() -> consoleUser.find("text=Save as NDJSON").click());
      assertThat(Files.readAllLines(all.path())).hasSize(640);
      consoleUser.open("/events?subject=burst:1&until=2020-01-01T10:00:00");
      consoleUser.sees("Nothing like this happened");
      consoleUser.hadNoErrorsExcept();
    }
  }

  @Test
  void anEventOfAnotherDayIsShownWithItsDay() {
    try (ConsoleUser consoleUser =
        operator(ColorScheme.LIGHT, "/events?subject=burst:2&show=live")) {
      consoleUser.sees(consoleUser.find(".page > .tools"), "0 seen");
      int _ =
          database.read(
              tx ->
                  tx.sql(
                          """
                          with made as (
                            insert into events (type, subject, at)
                            values ('burst.past', 'burst:2', now() - interval '2 days')
                            returning seq)
                          select count(pg_notify('convoke_events', 'test')) as n from made
                          """)
                      .one(resultRow -> resultRow.intAt("n")));
      Locator time = consoleUser.find(".timeline .entry time");
      consoleUser.counts(time, 1);
      assertThat(time.innerText()).matches("\\d{1,2} \\p{L}+, \\d\\d:\\d\\d:\\d\\d");
      consoleUser.hadNoErrorsExcept();
    }
  }

  @Test
  void theEndOfAMeetingWithoutABotIsNotToldAsThatOfABot() {
    int _ =
        database.read(
            tx ->
                tx.sql(
                        """
                        insert into events (type, subject, data) values
                          ('meeting.status_changed', 'burst:3', '{"from": "active",
                            "to": "completed", "event": "ended", "actor": "presence"}'),
                          ('meeting.status_changed', 'burst:3', '{"from": "stopping",
                            "to": "completed", "event": "exited", "actor": "bot"}')
                        """)
                    .update());
    try (ConsoleUser consoleUser = operator(ColorScheme.LIGHT, "/events?subject=burst:3")) {
      consoleUser.counts(consoleUser.find(".timeline .entry"), 2);
      consoleUser.sees(consoleUser.find(".timeline .entry").first(), "Bot has left");
      consoleUser.sees(consoleUser.find(".timeline .entry").last(), "The meeting ended");
      consoleUser.hadNoErrorsExcept();
    }
  }

  /** Events of one subject, two hundred a second, by the browser's clock. */
  private static void burst(ConsoleUser consoleUser, int count) {
    for (int written = 0; written < count; written += 20) {
      int _ =
          database.read(
              tx ->
                  tx.sql(
                          """
                          with made as (
                            insert into events (type, subject, data)
                            select 'burst.came', 'burst:1', jsonb_build_object('n', n)
                            from generate_series(1, 20) as n returning seq)
                          select count(pg_notify('convoke_events', 'test')) as n from made
                          """)
                      .one(resultRow -> resultRow.intAt("n")));
      consoleUser.page().waitForTimeout(100);
    }
  }

  @Test
  void usersGetKeysThatWorkUntilTheyAreRevoked() throws Exception {
    try (ConsoleUser consoleUser = operator(ColorScheme.LIGHT, "/users")) {
      consoleUser.press("n");
      consoleUser.type("kim@example.org");
      consoleUser.press("Tab");
      consoleUser.type("Kim");
      consoleUser.press("Tab");
      consoleUser.page().keyboard().press("Control+a");
      consoleUser.type("3");
      consoleUser.press("Enter");
      consoleUser.sees(consoleUser.find("h1"), "kim@example.org");
      consoleUser.sees(consoleUser.find(".meta"), "3 bots");
      consoleUser.sees("No key yet");
      consoleUser.press("n");
      consoleUser.type("laptop");
      consoleUser.press("Enter");
      String key = consoleUser.find("input[name=secret]").inputValue();
      ApiUser kim = new ApiUser(testServer.server().url(), Map.of("X-API-Key", key));
      assertThat(kim.get("/meetings").status()).isEqualTo(200);
      // As where the page came over plain http.
      var _ =
          consoleUser
              .page()
              .evaluate(
                  """
                  () => {
                    Object.defineProperty(navigator, 'clipboard', { value: undefined });
                    document.addEventListener('copy', () => {
                      window.copied = document.activeElement.value;
                    });
                  }
                  """);
      consoleUser.find("dialog .dialog-foot button").first().click();
      consoleUser.sees(consoleUser.find(".toasts"), "Copied.");
      assertThat(consoleUser.page().evaluate("window.copied")).isEqualTo(key);
      consoleUser.press("Escape");
      consoleUser.sees(consoleUser.find(".ledger"), "laptop");
      Axe.findsNothingSerious(consoleUser.page(), "a user");
      consoleUser.press("j");
      consoleUser.press("Enter");
      consoleUser.sees("Revoke this key?");
      consoleUser.press("Tab");
      consoleUser.press("Enter");
      consoleUser.sees(consoleUser.find(".ledger .chip"), "revoked");
      assertThat(kim.get("/meetings").status()).isEqualTo(401);
      consoleUser.press("e");
      consoleUser.sees("Change kim@example.org");
      consoleUser.press("Escape");
      consoleUser.press("u");
      consoleUser.isAt("/users");
      consoleUser.sees(consoleUser.find(".ledger"), "kim@example.org");
      Axe.findsNothingSerious(consoleUser.page(), "users");
      consoleUser.hadNoErrorsExcept();
    }
  }

  @Test
  void aCreationWhoseAnswerWasLostIsNotDoneTwice() {
    try (ConsoleUser consoleUser = operator(ColorScheme.LIGHT, "/users")) {
      AtomicBoolean loses = new AtomicBoolean(true);
      consoleUser
          .page()
          .route(
              "**/admin/users",
              route -> {
                if (loses.getAndSet(false)) {
                  var _ = route.fetch();
                  route.abort();
                } else {
                  route.resume();
                }
              });
      consoleUser.press("n");
      consoleUser.type("lou@example.org");
      consoleUser.press("Enter");
      consoleUser.sees("Convoke cannot be reached");
      consoleUser.find("dialog button[type=submit]").click();
      consoleUser.sees(consoleUser.find("h1"), "lou@example.org");
      consoleUser.hadNoErrorsExcept(NETWORK, "net::ERR");
    }
  }

  @Test
  void aPhoneShowsTheSameAndReportsALostServer() {
    try (ConsoleUser consoleUser =
        ConsoleUser.onPhone(chromium.browser(), testServer.server().url())) {
      for (String path : List.of("/workflows", "/webhooks", "/users", "/events")) {
        open(consoleUser, path);
        consoleUser.isSettled();
        consoleUser.seesNothingBeyondTheEdge();
        Axe.findsNothingSerious(consoleUser.page(), path + " on a phone");
      }
      open(consoleUser, "/workflows/schedule:retention");
      consoleUser.sees(consoleUser.find(".meta .chip"), "running");
      consoleUser.seesNothingBeyondTheEdge();
      picture(consoleUser, "console-workflow-phone.png");
      consoleUser.page().context().setOffline(true);
      consoleUser.sees(consoleUser.find(".stale"), "Live updates are interrupted");
      consoleUser.sees(consoleUser.find(".meta .chip"), "was running");
      Axe.findsNothingSerious(consoleUser.page(), "a workflow, not live");
      consoleUser.page().context().setOffline(false);
      consoleUser.sees(consoleUser.find(".linkstate"), "Live");
      consoleUser.open("/workflows/nobody");
      consoleUser.sees("There is no such workflow");
      consoleUser.hadNoErrorsExcept(NETWORK, "net::ERR");
    }
  }

  @Test
  void withoutASimulatorThereIsNoPageOfOne() {
    try (ConsoleUser consoleUser = operator(ColorScheme.LIGHT, "/users")) {
      consoleUser.counts(consoleUser.find("nav a[href$='/users']"), 1);
      consoleUser.counts(consoleUser.find("nav a[href$='/simulator']"), 0);
      consoleUser.open("/simulator");
      consoleUser.sees(consoleUser.find("h1"), "No simulator is attached");
      Axe.findsNothingSerious(consoleUser.page(), "no simulator");
      consoleUser.hadNoErrorsExcept(NETWORK);
    }
  }

  /** The server refuses it too (IdentityProviderTest). */
  @Test
  void whatTheRoleMayNotDoIsNotOffered() throws Exception {
    for (String role : List.of("viewer", "operator", "admin")) {
      try (ConsoleUser consoleUser =
          ConsoleUser.onDesktop(chromium.browser(), testServer.server().url(), ColorScheme.LIGHT)) {
        ConsoleUser _ = consoleUser.open("/users", key(role));
        consoleUser.sees(consoleUser.find("h1"), "Users");
        consoleUser.counts(consoleUser.find(".page-head button"), role.equals("admin") ? 1 : 0);
        ConsoleUser _ = consoleUser.open("/meetings");
        consoleUser.sees(consoleUser.find("h1"), "Meetings");
        consoleUser.counts(
            consoleUser.find("button[data-acts]:visible").first(), role.equals("viewer") ? 0 : 1);
        consoleUser.press("b");
        consoleUser.counts(consoleUser.find("dialog"), role.equals("viewer") ? 0 : 1);
        consoleUser.hadNoErrorsExcept(NETWORK, "net::ERR");
      }
    }
  }

  private static String key(String role) throws Exception {
    long user =
        testServer
            .admin()
            .post("/admin/users", "{\"email\": \"%s@roles.example\"}".formatted(role))
            .body()
            .path("id")
            .asLong();
    return testServer
        .admin()
        .post("/admin/users/" + user + "/tokens", "{\"scopes\": [\"%s\"]}".formatted(role))
        .body()
        .path("token")
        .asString();
  }

  private static ConsoleUser operator(ColorScheme scheme, String path) {
    ConsoleUser consoleUser =
        ConsoleUser.onDesktop(chromium.browser(), testServer.server().url(), scheme);
    open(consoleUser, path);
    consoleUser.isSettled();
    return consoleUser;
  }

  private static void open(ConsoleUser consoleUser, String path) {
    consoleUser
        .page()
        .navigate(
            testServer.server().url() + "/console" + path + "#admin=" + JourneyTestServer.ADMIN);
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
