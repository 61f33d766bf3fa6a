package io.convoke.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Download;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import com.sun.net.httpserver.HttpServer;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.journey.Caller;
import io.convoke.journey.House;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Workflows, events, webhooks and users in a real browser, by keyboard, on a server with troubles.
 * With {@code -Dconvoke.pictures=true} it takes the pictures of the documentation on the way.
 */
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
  private static House house;
  private static Database database;
  private static HttpServer ear;
  private static final AtomicInteger answer = new AtomicInteger(500);

  @BeforeAll
  static void open(@TempDir Path folder) throws Exception {
    chromium = Chromium.start();
    house = House.open(folder, Map.of("CONVOKE_WEBHOOKS_ALLOW_PRIVATE", "true"));
    database = Database.open(DatabaseUrl.parse(house.databaseUrl()), 1, "test", List.of("convoke"));
    ear = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 16);
    ear.createContext(
        "/",
        call -> {
          call.sendResponseHeaders(answer.get(), -1);
          call.close();
        });
    ear.start();
  }

  @AfterAll
  static void close() {
    if (house != null) {
      ear.stop(0);
      database.close();
      house.close();
      chromium.close();
    }
  }

  @Test
  void anEndpointThatFailsIsExplainedAndItsWorkflowCanBeToldEndedAndBegunAgain() {
    try (Reader reader = operator(ColorScheme.LIGHT, "/")) {
      reader.press("g");
      reader.press("h");
      reader.sees(reader.find("h1"), "Webhooks");
      reader.sees("Nobody is told yet");
      Axe.findsNothingSerious(reader.page(), "no webhooks");
      reader.press("n");
      reader.type("http://localhost:" + ear.getAddress().getPort() + "/hooks");
      reader.press("Tab");
      reader.type("sync.status_changed, meeting.status_changed");
      reader.press("Enter");
      reader.sees("Copy it now");
      assertThat(reader.find("input[name=secret]").inputValue()).startsWith("whsec_");
      Axe.findsNothingSerious(reader.page(), "a secret that is shown once");
      reader.press("Escape");
      reader.press("j");
      reader.press("Enter");
      reader.sees(reader.find("h1"), "/hooks");
      reader.press("s");
      reader.sees(reader.find(".ledger"), "webhook_endpoint.test");
      reader.sees(reader.find(".ledger"), "500");
      reader.sees(reader.find(".ledger .chip"), "waits");
      reader.isSettled();
      Axe.findsNothingSerious(reader.page(), "deliveries");

      itsWorkflow(reader);

      reader.open("/webhooks/1");
      reader.sees(reader.find(".note"), "Paused");
      picture(reader, "console-webhook-light.png");
      Axe.findsNothingSerious(reader.page(), "a paused webhook");
      answer.set(200);
      reader.press("r");
      reader.sees(reader.find(".ledger .chip"), "delivered");
      reader.counts(reader.find(".note"), 0);
      reader.find(".ledger button").click();
      reader.counts(reader.find(".ledger .chip-done"), 2);
      reader.hadNoTroubleBut(NETWORK);
    }
  }

  /** The workflow that sends to the endpoint: told something, asked to end, begun again. */
  private static void itsWorkflow(Reader reader) {
    reader.press("g");
    reader.press("w");
    reader.sees(reader.find(".ledger"), "webhook-1-");
    reader.press("j");
    reader.press("Enter");
    reader.sees(reader.find("h1"), "webhook-1-");
    reader.sees(reader.find(".timeline"), "Set a timer");
    assertThat(reader.find(".bar[data-open]").count()).isPositive();
    reader.press("e");
    reader.type("wake");
    reader.press("Tab");
    reader.type("no json");
    reader.press("Enter");
    reader.sees("Data is not JSON");
    reader.page().keyboard().press("Control+a");
    reader.type("{\"why\": \"it is back\"}");
    reader.press("Enter");
    reader.sees(reader.find(".timeline"), "wake");
    reader.sees(reader.find(".lane-names"), "Event wake");
    Axe.findsNothingSerious(reader.page(), "a workflow");
    picture(reader, "console-workflow-light.png");
    reader.press("x");
    reader.type("by hand");
    reader.press("Enter");
    reader.sees(reader.find(".note"), "Failed");
    reader.sees(reader.find(".meta .chip"), "failed");
    answer.set(410);
    reader.press("r");
    reader.sees(reader.find(".meta"), "execution 2");
    reader.sees(reader.find(".meta .chip"), "completed");
  }

  @Test
  void theJournalIsFoundFollowedAndSaved() throws Exception {
    Caller nina = house.user("nina@example.org");
    long meeting =
        nina.post("/meetings", "{\"platform\": \"daily\", \"native_meeting_id\": \"the-room\"}")
            .body()
            .path("id")
            .asLong();
    try (Reader reader = operator(ColorScheme.DARK, "/events?type=meeting.status_changed")) {
      reader.sees(reader.find(".timeline"), "meeting:" + meeting);
      reader.press("j");
      reader.press("Enter");
      reader.sees(reader.find("details[open]"), "\"seq\"");
      Axe.findsNothingSerious(reader.page(), "events that were found");
      picture(reader, "console-events-dark.png");
      Download saved = reader.page().waitForDownload(() -> reader.find("text=Save as CSV").click());
      assertThat(Files.readString(saved.path())).startsWith("seq,at,type,subject,data\r\n\"");
      reader.find("details[open] a").first().click();
      reader.isAt("/meetings/" + meeting);

      reader.open("/events?subject=burst:1&show=live").isSettled();
      reader.sees(reader.find(".page > .tools"), "0 seen");
      burst(reader, 600);
      reader.sees(reader.find(".page > .tools"), "600 seen");
      reader.counts(reader.find(".timeline > .entry"), 300);
      System.out.println(
          "600 events in 3 s: the longest task of the page took "
              + reader.page().evaluate(LONGEST_TASK)
              + " ms");
      Axe.findsNothingSerious(reader.page(), "live events");

      reader.press("p");
      burst(reader, 40);
      reader.sees(reader.find(".page > .tools"), "40 since the pause");
      reader.press("1");
      reader.sees(reader.find(".more-rows"), "Load more");
      Download all =
          reader.page().waitForDownload(() -> reader.find("text=Save as NDJSON").click());
      assertThat(Files.readAllLines(all.path())).hasSize(640);
      reader.open("/events?subject=burst:1&until=2020-01-01T10:00:00");
      reader.sees("Nothing like this happened");
      reader.hadNoTroubleBut();
    }
  }

  /** Events of one subject, two hundred a second, by the browser's clock. */
  private static void burst(Reader reader, int count) {
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
                      .one(row -> row.intAt("n")));
      reader.page().waitForTimeout(100);
    }
  }

  @Test
  void usersGetKeysThatWorkUntilTheyAreRevoked() throws Exception {
    try (Reader reader = operator(ColorScheme.LIGHT, "/users")) {
      reader.press("n");
      reader.type("kim@example.org");
      reader.press("Tab");
      reader.type("Kim");
      reader.press("Tab");
      reader.page().keyboard().press("Control+a");
      reader.type("3");
      reader.press("Enter");
      reader.sees(reader.find("h1"), "kim@example.org");
      reader.sees(reader.find(".meta"), "3 bots");
      reader.sees("No key yet");
      reader.press("n");
      reader.type("laptop");
      reader.press("Enter");
      String key = reader.find("input[name=secret]").inputValue();
      Caller kim = new Caller(house.server().url(), Map.of("X-API-Key", key));
      assertThat(kim.get("/meetings").status()).isEqualTo(200);
      reader.press("Escape");
      reader.sees(reader.find(".ledger"), "laptop");
      Axe.findsNothingSerious(reader.page(), "a user");
      reader.press("j");
      reader.press("Enter");
      reader.sees("Revoke this key?");
      reader.press("Tab");
      reader.press("Enter");
      reader.sees(reader.find(".ledger .chip"), "revoked");
      assertThat(kim.get("/meetings").status()).isEqualTo(401);
      reader.press("e");
      reader.sees("Change kim@example.org");
      reader.press("Escape");
      reader.press("u");
      reader.isAt("/users");
      reader.sees(reader.find(".ledger"), "kim@example.org");
      Axe.findsNothingSerious(reader.page(), "users");
      reader.hadNoTroubleBut();
    }
  }

  @Test
  void aPhoneShowsTheSameAndALostServerIsSaid() {
    try (Reader reader = Reader.onPhone(chromium.browser(), house.server().url())) {
      for (String path : List.of("/workflows", "/webhooks", "/users", "/events")) {
        open(reader, path);
        reader.isSettled();
        reader.seesNothingBeyondTheEdge();
        Axe.findsNothingSerious(reader.page(), path + " on a phone");
      }
      open(reader, "/workflows/schedule:retention");
      reader.sees(reader.find(".meta .chip"), "running");
      reader.seesNothingBeyondTheEdge();
      picture(reader, "console-workflow-phone.png");
      reader.page().context().setOffline(true);
      reader.sees(reader.find(".stale"), "Live updates are interrupted");
      reader.sees(reader.find(".meta .chip"), "was running");
      Axe.findsNothingSerious(reader.page(), "a workflow, not live");
      reader.page().context().setOffline(false);
      reader.sees(reader.find(".linkstate"), "Live");
      reader.open("/workflows/nobody");
      reader.sees("There is no such workflow");
      reader.hadNoTroubleBut(NETWORK, "net::ERR");
    }
  }

  @Test
  void withoutASimulatorThereIsNoPageOfOne() {
    try (Reader reader = operator(ColorScheme.LIGHT, "/users")) {
      reader.counts(reader.find("nav a[href$='/users']"), 1);
      reader.counts(reader.find("nav a[href$='/simulator']"), 0);
      reader.open("/simulator");
      reader.sees(reader.find("h1"), "No simulator is attached");
      Axe.findsNothingSerious(reader.page(), "no simulator");
      reader.hadNoTroubleBut(NETWORK);
    }
  }

  private static Reader operator(ColorScheme scheme, String path) {
    Reader reader = Reader.atDesk(chromium.browser(), house.server().url(), scheme);
    open(reader, path);
    reader.isSettled();
    return reader;
  }

  private static void open(Reader reader, String path) {
    reader.page().navigate(house.server().url() + "/console" + path + "#admin=" + House.ADMIN);
  }

  private static void picture(Reader reader, String name) {
    if (Boolean.getBoolean("convoke.pictures")) {
      reader.isSettled();
      reader.counts(reader.find(".toast"), 0);
      var _ = reader.page().screenshot(new Page.ScreenshotOptions().setPath(IMAGES.resolve(name)));
    }
  }
}
