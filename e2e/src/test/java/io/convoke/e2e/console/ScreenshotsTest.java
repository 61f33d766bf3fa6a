package io.convoke.e2e.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import io.convoke.e2e.journey.ApiUser;
import io.convoke.e2e.journey.JourneyTestServer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Takes the pictures of the documentation: {@code -Dconvoke.pictures=true}. Otherwise it does
 * nothing, so that a test run leaves the tree as it was.
 */
@Tag("pictures")
@EnabledIfSystemProperty(named = "convoke.pictures", matches = "true")
class ScreenshotsTest {
  private static final String NORTHWIND = "northwind";
  private static final Path IMAGES = Path.of("..", "docs", "images");

  /** A room, its title, whether a bot is sent, and its participants. */
  private record Scene(String room, String title, boolean bot, List<String> people) {}

  private static final List<Scene> SCENES =
      List.of(
          new Scene(
              "stand-up",
              "Daily stand-up",
              false,
              List.of("Maria Silva", "Tom Becker", "Aisha Khan", "Jonas Weber")),
          new Scene("hiring", "Hiring round", false, List.of("Lena Fischer", "Noor Haddad")),
          new Scene(
              "roadmap", "Roadmap", true, List.of("Henrik Larsen", "Yuki Tanaka", "Ravi Patel")),
          new Scene("design-review", "Design review", true, List.of("Dana Levi", "Oskar Lind")),
          new Scene(NORTHWIND, "Customer call Northwind", true, List.of("Elena Rossi")));

  @Test
  void takesThem(@TempDir Path folder) throws Exception {
    try (Chromium chromium = Chromium.start();
        JourneyTestServer journeyTestServer =
            JourneyTestServer.open(folder, Map.of("CONVOKE_PRESENCE_RECONCILE_INTERVAL", "4s"))) {
      var _ =
          journeyTestServer
              .admin()
              .post(
                  "/admin/users",
                  "{\"email\": \"olivia@example.org\", \"max_concurrent_bots\": null}");
      String key = journeyTestServer.key("olivia@example.org");
      ApiUser olivia = new ApiUser(journeyTestServer.server().url(), Map.of("X-API-Key", key));
      long last = 0;
      for (Scene scene : SCENES) {
        last = play(journeyTestServer, olivia, scene);
      }
      planned(olivia);
      String meeting = "/meetings/" + last;
      String url = journeyTestServer.server().url();
      try (ConsoleUser light = ConsoleUser.onDesktop(chromium.browser(), url, ColorScheme.LIGHT);
          ConsoleUser dark = ConsoleUser.onDesktop(chromium.browser(), url, ColorScheme.DARK);
          ConsoleUser phone = ConsoleUser.onPhone(chromium.browser(), url)) {
        light.open(meeting, key).isSettled();
        peopleComeAndGo(journeyTestServer, light);
        shoot(light, "console-meeting-light.png", true);
        shoot(light.open("/meetings"), "console-meetings-light.png", false);
        shoot(dark.open("/meetings", key), "console-meetings-dark.png", false);
        shoot(phone.open(meeting, key), "console-meeting-phone.png", true);
      }
    }
  }

  /** A meeting has a shape once it has lasted a little. */
  private static void peopleComeAndGo(
      JourneyTestServer journeyTestServer, ConsoleUser consoleUser) {
    lasted(consoleUser, 8);
    journeyTestServer.meet(NORTHWIND, "Carlos Mendes");
    lasted(consoleUser, 14);
    journeyTestServer.meet(NORTHWIND, "Priya Nair");
    lasted(consoleUser, 26);
    journeyTestServer.meet(NORTHWIND, "Henrik Larsen");
    lasted(consoleUser, 44);
    journeyTestServer.leave(NORTHWIND, "Priya Nair");
    lasted(consoleUser, 58);
    journeyTestServer.meet(NORTHWIND, "Olivia Brandt");
    journeyTestServer.meet(NORTHWIND, "Priya Nair");
    lasted(consoleUser, 80);
  }

  /** Waits until the page shows that the meeting has lasted so long. */
  private static void lasted(ConsoleUser consoleUser, int seconds) {
    consoleUser
        .page()
        .waitForFunction(
            """
            (least) => {
              const [m, s] = document.querySelector('.meta .num').textContent.trim().split(':');
              return Number(m) * 60 + Number(s) >= least;
            }
            """,
            seconds,
            new Page.WaitForFunctionOptions().setTimeout(120_000));
  }

  /** A bot that is scheduled for later. */
  private static void planned(ApiUser olivia) throws Exception {
    String body =
        """
        {"platform": "google_meet", "native_meeting_id": "qrs-tuvw-xyz",
         "data": {"title": "Board meeting"}, "start_at": "%s"}
        """
            .formatted(Instant.now().plus(Duration.ofMinutes(20)));
    assertThat(olivia.post("/bots/start", body).status()).isEqualTo(201);
  }

  private static long play(JourneyTestServer journeyTestServer, ApiUser olivia, Scene scene)
      throws Exception {
    String body =
        "{\"platform\": \"daily\", \"native_meeting_id\": \"%s\", \"data\": {\"title\": \"%s\"}}"
            .formatted(scene.room(), scene.title());
    for (String name : scene.people()) {
      journeyTestServer.meet(scene.room(), name);
    }
    ApiUser.Reply reply = olivia.post(scene.bot() ? "/bots/start" : "/meetings", body);
    assertThat(reply.status()).as(reply.body().toString()).isEqualTo(201);
    long id = reply.body().path("id").asLong();
    var _ =
        olivia.await(
            0,
            event ->
                event.path("type").asString().equals("participant.joined")
                    && event.path("data").path("meeting_id").asLong() == id);
    return id;
  }

  private static void shoot(ConsoleUser consoleUser, String name, boolean whole) {
    consoleUser.isSettled();
    consoleUser.page().waitForLoadState();
    consoleUser
        .page()
        .screenshot(new Page.ScreenshotOptions().setPath(IMAGES.resolve(name)).setFullPage(whole));
  }
}
