package io.convoke.e2e.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.AriaRole;
import io.convoke.e2e.journey.ApiUser;
import io.convoke.e2e.journey.JourneyTestServer;
import io.convoke.fakes.janus.InstalledJanus;
import io.convoke.fakes.janus.JanusServer;
import io.convoke.simulator.process.InstalledPrograms;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** People join a room of a real Janus with a real browser and its fake microphone. */
@Tag("nightly")
class JoinPageTest {
  private static final Duration SOON = Duration.ofSeconds(30);
  private static final Route.FulfillOptions AWAY =
      new Route.FulfillOptions()
          .setStatus(503)
          .setContentType("application/problem+json")
          .setBody("{\"title\": \"Service Unavailable\", \"detail\": \"Janus is away.\"}");

  @TempDir private Path folder;
  private InstalledJanus janus;
  private JourneyTestServer server;
  private Chromium chromium;
  private ApiUser olivia;
  private final List<String> errors = new ArrayList<>();

  @BeforeEach
  void open() throws Exception {
    if (InstalledJanus.obstacle().isPresent()) {
      System.err.println(
          "*** THE JOIN PAGE WAS NOT TESTED: " + InstalledJanus.obstacle().get() + " ***");
    }
    Assumptions.assumeTrue(InstalledJanus.obstacle().isEmpty(), "no Janus is installed");
    int port = InstalledPrograms.freePort();
    janus =
        new InstalledJanus(
            folder.resolve("janus"), URI.create("http://127.0.0.1:" + port + "/webhooks/janus"));
    server =
        JourneyTestServer.open(
            folder,
            Map.of(
                "CONVOKE_PORT", Integer.toString(port),
                "CONVOKE_JANUS_ADMIN_URL", janus.adminUrl().toString(),
                "CONVOKE_JANUS_ADMIN_SECRET", JanusServer.ADMIN_SECRET,
                "CONVOKE_JANUS_ADMIN_KEY", JanusServer.ADMIN_KEY,
                "CONVOKE_JANUS_EVENT_SECRET", JanusServer.EVENT_PASSWORD,
                "CONVOKE_JANUS_URL", janus.clientUrl().toString(),
                "CONVOKE_JANUS_API_SECRET", InstalledJanus.API_SECRET));
    olivia = server.user("olivia@example.org");
    chromium = Chromium.withMicrophone();
  }

  @AfterEach
  void close() {
    if (chromium != null) {
      chromium.close();
    }
    if (server != null) {
      server.close();
    }
    if (janus != null) {
      janus.close();
    }
  }

  private Page page(String link) {
    BrowserContext context = chromium.browser().newContext();
    Page page = context.newPage();
    page.setDefaultTimeout((double) SOON.toMillis());
    page.onConsoleMessage(
        message -> {
          if (message.type().equals("error")) {
            errors.add(message.text());
          }
        });
    page.onPageError(errors::add);
    page.addInitScript(
        """
        const Real = RTCPeerConnection;
        window.connections = [];
        window.RTCPeerConnection = class extends Real {
          constructor(...given) { super(...given); window.connections.push(this); }
        };
        """);
    page.navigate(link);
    return page;
  }

  private static void enter(Page page, String name) {
    tryToEnter(page, name, "You are in the room.");
  }

  private static void tryToEnter(Page page, String name, String status) {
    page.getByLabel("Your name").fill(name);
    page.getByText("Join with microphone").click();
    assertThat(page.getByRole(AriaRole.STATUS)).hasText(status, soon());
  }

  private static com.microsoft.playwright.assertions.LocatorAssertions.HasTextOptions soon() {
    return new com.microsoft.playwright.assertions.LocatorAssertions.HasTextOptions()
        .setTimeout((double) SOON.toMillis());
  }

  private static Locator person(Page page, String name) {
    return page.getByRole(AriaRole.LISTITEM)
        .filter(new Locator.FilterOptions().setHasText(Pattern.compile("^" + name)));
  }

  /** Energy of the sound that a page has received, in total. */
  private static double heard(Page page) {
    return ((Number)
            page.evaluate(
                """
                async () => {
                  let energy = 0;
                  for (const connection of window.connections) {
                    for (const one of (await connection.getStats()).values()) {
                      if (one.type === 'inbound-rtp') energy += one.totalAudioEnergy ?? 0;
                    }
                  }
                  return energy;
                }
                """))
        .doubleValue();
  }

  private List<String> present(long meeting) throws Exception {
    JsonNode items =
        olivia.get("/meetings/" + meeting + "/participants?active=true").body().path("items");
    return items.valueStream().map(item -> item.path("user_name").asString()).sorted().toList();
  }

  private boolean presentAre(long meeting, String... names) {
    try {
      return present(meeting).equals(List.of(names));
    } catch (Exception failed) {
      throw new AssertionError(failed);
    }
  }

  /** Stays quiet for longer than the 15 s that Janus keeps a session without requests. */
  private static void outlastASession() {
    long end = System.nanoTime() + Duration.ofSeconds(21).toNanos();
    JourneyTestServer.await("21 s", SOON.plus(SOON), () -> System.nanoTime() - end > 0);
  }

  @Test
  void twoPeopleHearEachOtherAndTheHostRemovesTheGuest() throws Exception {
    ApiUser.Reply made = olivia.post("/rooms", "{\"name\": \"standup\"}");
    assertThat(made.status()).as(made.body().toString()).isEqualTo(201);
    long meeting =
        olivia
            .post("/meetings", "{\"platform\": \"janus\", \"native_meeting_id\": \"standup\"}")
            .body()
            .path("id")
            .asLong();

    Page ada = page(made.body().path("links").path("host").asString());
    assertThat(ada.getByRole(AriaRole.HEADING).first()).hasText("standup", soon());
    Axe.findsNothingSerious(ada, "before joining");
    enter(ada, "Ada");
    Page ben = page(made.body().path("links").path("guest").asString());
    enter(ben, "Ben");

    person(ada, "Ben").waitFor();
    person(ben, "Ada").waitFor();
    assertThat(person(ben, "Ada").getByRole(AriaRole.BUTTON)).hasCount(0);
    JourneyTestServer.await("the sound of Ada", SOON, () -> heard(ben) > 0);
    JourneyTestServer.await("the sound of Ben", SOON, () -> heard(ada) > 0);
    Axe.findsNothingSerious(ada, "in the room");
    JourneyTestServer.await("presence of both", SOON, () -> presentAre(meeting, "Ada", "Ben"));
    outlastASession();
    assertThat(present(meeting)).containsExactly("Ada", "Ben");
    assertThat(ada.getByRole(AriaRole.STATUS)).hasText("You are in the room.", soon());

    ada.getByLabel("Remove Ben").click();
    assertThat(ben.getByRole(AriaRole.STATUS)).hasText(Pattern.compile("removed you|lost"), soon());
    JourneyTestServer.await("presence of Ada", SOON, () -> presentAre(meeting, "Ada"));
    ada.getByText("Leave").click();
    JourneyTestServer.await("an empty room", SOON, () -> presentAre(meeting));
    assertThat(errors).isEmpty();
    assertThat(server.log()).doesNotContain("cvj_").doesNotContain(InstalledJanus.API_SECRET);
  }

  /** A page has one connection on which it hears all others. */
  @Test
  void whatOnePersonWritesTheOthersReadUnderTheName() throws Exception {
    ApiUser.Reply made = olivia.post("/rooms", "{\"name\": \"standup\"}");
    String link = made.body().path("links").path("guest").asString();
    Map<String, Page> pages = new java.util.LinkedHashMap<>();
    for (String name : List.of("Ada", "Ben", "Cleo")) {
      Page page = page(link);
      enter(page, name);
      pages.put(name, page);
    }
    pages.forEach(
        (name, page) ->
            pages.keySet().stream()
                .filter(other -> !other.equals(name))
                .forEach(other -> person(page, other).waitFor()));
    JourneyTestServer.await(
        "channels", SOON, () -> pages.values().stream().allMatch(page -> heard(page) > 0));
    for (String writer : pages.keySet()) {
      write(pages.get(writer), "This is <b>" + writer + "</b>");
      for (Page reader : pages.values()) {
        assertThat(reader.getByRole(AriaRole.LOG))
            .containsText(writer + ": This is <b>" + writer + "</b>", containsSoon());
      }
    }
    Axe.findsNothingSerious(pages.get("Ada"), "with chat");
    assertThat(errors).isEmpty();
  }

  private static void write(Page page, String text) {
    page.getByLabel("Message").fill(text);
    page.getByText("Send").click();
  }

  private static com.microsoft.playwright.assertions.LocatorAssertions.ContainsTextOptions
      containsSoon() {
    return new com.microsoft.playwright.assertions.LocatorAssertions.ContainsTextOptions()
        .setTimeout((double) SOON.toMillis());
  }

  @Test
  void whoFailedToJoinHearsTheOthersAtTheNextAttempt() throws Exception {
    ApiUser.Reply made = olivia.post("/rooms", "{\"name\": \"standup\"}");
    String link = made.body().path("links").path("guest").asString();
    enter(page(link), "Ada");
    Page ben = page(link);
    ben.route(
        "**/join/janus/*/*",
        route -> {
          if (route.request().postData().contains("\"request\":\"publish\"")) {
            route.fulfill(AWAY);
          } else {
            route.resume();
          }
        });
    tryToEnter(ben, "Ben", "Janus is away.");
    ben.unroute("**/join/janus/*/*");
    var _ = ben.evaluate("() => { window.connections = []; }");

    enter(ben, "Ben");
    JourneyTestServer.await("the sound of Ada", SOON, () -> heard(ben) > 0);
    assertThat(errors).allMatch(error -> error.contains("Failed to load resource"));
  }

  /** Janus refuses to let one hear several people of whom one has just left. */
  @Test
  void whoEntersWhileAnotherLeavesHearsThoseWhoAreThere() throws Exception {
    ApiUser.Reply made = olivia.post("/rooms", "{\"name\": \"standup\"}");
    String link = made.body().path("links").path("guest").asString();
    Page ada = page(link);
    enter(ada, "Ada");
    Page cleo = page(link);
    enter(cleo, "Cleo");
    JourneyTestServer.await("the sound of Ada", SOON, () -> heard(cleo) > 0);
    JourneyTestServer.await("the sound of Cleo", SOON, () -> heard(ada) > 0);
    Page ben = page(link);
    List<Route> held = new ArrayList<>();
    ben.route(
        "**/join/janus/*/*",
        route -> {
          if (held.isEmpty() && route.request().postData().contains("\"ptype\":\"subscriber\"")) {
            boolean _ = held.add(route);
          } else {
            route.resume();
          }
        });
    enter(ben, "Ben");
    ben.waitForCondition(() -> !held.isEmpty());
    cleo.locator("#leave").click();
    assertThat(person(ada, "Cleo")).hasCount(0);

    held.getFirst().resume();
    JourneyTestServer.await("the sound of Ada, for Ben", SOON, () -> heard(ben) > 0);
    assertThat(ben.getByRole(AriaRole.STATUS)).hasText("You are in the room.", soon());
    assertThat(errors).isEmpty();
  }

  @Test
  void whoFailedToJoinHasTheMicrophoneOff() throws Exception {
    ApiUser.Reply made = olivia.post("/rooms", "{\"name\": \"standup\"}");
    Page ada = page(made.body().path("links").path("guest").asString());
    keepTracks(ada);
    ada.route("**/join/janus", route -> route.fulfill(AWAY));
    tryToEnter(ada, "Ada", "Janus is away.");
    assertThat(ada.evaluate("() => window.tracks.map((track) => track.readyState)"))
        .isEqualTo(List.of("ended"));
  }

  @Test
  void whoPressesTwiceIsInTheRoomOnce() throws Exception {
    ApiUser.Reply made = olivia.post("/rooms", "{\"name\": \"standup\"}");
    Page ada = page(made.body().path("links").path("guest").asString());
    keepTracks(ada);
    ada.getByLabel("Your name").fill("Ada");
    var _ =
        ada.evaluate(
            """
            () => {
              for (let press = 0; press < 2; press++) {
                const submit = new Event('submit', { cancelable: true });
                document.getElementById('enter').dispatchEvent(submit);
              }
            }
            """);
    assertThat(ada.getByRole(AriaRole.STATUS)).hasText("You are in the room.", soon());
    assertThat(person(ada, "Ada")).hasCount(1);
    assertThat(
            ada.evaluate("() => window.tracks.filter((each) => each.readyState === 'live').length"))
        .isEqualTo(1);
    assertThat(errors).isEmpty();
  }

  /** From now on the page has what its microphone gave in {@code window.tracks}. */
  private static void keepTracks(Page page) {
    var _ =
        page.evaluate(
            """
            () => {
              const devices = navigator.mediaDevices;
              const ask = devices.getUserMedia.bind(devices);
              window.tracks = [];
              devices.getUserMedia = async (terms) => {
                const given = await ask(terms);
                window.tracks.push(...given.getTracks());
                return given;
              };
            }
            """);
  }

  @Test
  void theButtonOfAHostKeepsTheFocusWhileOthersCome() throws Exception {
    JsonNode links = olivia.post("/rooms", "{\"name\": \"standup\"}").body().path("links");
    Page ada = page(links.path("host").asString());
    enter(ada, "Ada");
    Page ben = page(links.path("guest").asString());
    enter(ben, "Ben");
    ada.getByLabel("Remove Ben").focus();
    enter(page(links.path("guest").asString()), "Cleo");
    person(ada, "Cleo").waitFor();
    assertThat(ada.getByLabel("Remove Ben")).isFocused();

    ada.keyboard().press("Enter");
    assertThat(ben.getByRole(AriaRole.STATUS)).hasText(Pattern.compile("removed you|lost"), soon());
    assertThat(person(ada, "Ben")).hasCount(0);
    assertThat(ada.locator("#mute")).isFocused();
    assertThat(errors).isEmpty();
  }

  @Test
  void whoLeftJoinsAgainAndIsNotMuted() throws Exception {
    ApiUser.Reply made = olivia.post("/rooms", "{\"name\": \"standup\"}");
    Page ada = page(made.body().path("links").path("guest").asString());
    enter(ada, "Ada");
    ada.locator("#mute").click();
    assertThat(ada.getByRole(AriaRole.STATUS)).hasText("You are muted.", soon());
    ada.locator("#leave").click();
    assertThat(ada.getByRole(AriaRole.STATUS)).hasText("You left.", soon());
    Axe.findsNothingSerious(ada, "after leaving");

    enter(ada, "Ada");
    assertThat(ada.locator("#mute")).hasAttribute("aria-pressed", "false");
    assertThat(person(ada, "Ada")).hasCount(1);
    assertThat(errors).isEmpty();
  }

  @Test
  void aServerThatIsAwayIsAskedAgainAboutTheLink() throws Exception {
    ApiUser.Reply made = olivia.post("/rooms", "{\"name\": \"standup\"}");
    Page ada = page(made.body().path("links").path("guest").asString());
    AtomicInteger asked = new AtomicInteger();
    ada.route(
        "**/join/room",
        route -> {
          if (asked.getAndIncrement() < 2) {
            route.fulfill(AWAY);
          } else {
            route.resume();
          }
        });
    ada.reload();
    assertThat(ada.getByRole(AriaRole.STATUS))
        .hasText("The server does not answer. Trying again …", soon());
    ada.getByLabel("Your name").waitFor();
    assertThat(ada.getByRole(AriaRole.HEADING).first()).hasText("standup", soon());
  }

  @Test
  void aLinkThatIsNotOursOpensNothing() {
    Page stranger = page(server.server().url() + "/join.html#cvj_guest_1_9999999999_cm9vbQ_no");
    assertThat(stranger.getByRole(AriaRole.STATUS))
        .hasText("This link is not valid any more. Ask for a new one.", soon());
    assertThat(stranger.getByLabel("Your name")).isHidden();
  }
}
