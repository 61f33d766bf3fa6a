package io.convoke.console;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import io.convoke.journey.Caller;
import io.convoke.journey.House;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Takes the pictures of the documentation: {@code -Dconvoke.pictures=true}. Otherwise it does
 * nothing, so that a test run leaves the tree as it was.
 */
@EnabledIfSystemProperty(named = "convoke.pictures", matches = "true")
class PicturesTest {
  private static final Path IMAGES = Path.of("..", "docs", "images");

  /** A room, its title, whether a bot is sent, and who comes. */
  private record Scene(String room, String title, boolean bot, List<String> people) {}

  private static final List<Scene> SCENES =
      List.of(
          new Scene("stand-up", "Daily stand-up", false, List.of("Maria Silva", "Tom Becker", "Aisha Khan", "Jonas Weber")),
          new Scene("hiring", "Hiring round", false, List.of("Lena Fischer", "Noor Haddad")),
          new Scene("roadmap", "Roadmap", true, List.of("Henrik Larsen", "Priya Nair", "Yuki Tanaka")),
          new Scene("budget", "Budget 2027", true, List.of()),
          new Scene("design-review", "Design review", true, List.of("Lena Fischer", "Jonas Weber", "Yuki Tanaka", "Aisha Khan")),
          new Scene(
              "northwind",
              "Customer call Northwind",
              true,
              List.of("Elena Rossi", "Carlos Mendes", "Priya Nair", "Henrik Larsen", "Olivia Brandt")));

  @Test
  void takesThem(@TempDir Path folder) throws Exception {
    try (Chromium chromium = Chromium.start();
        House house = House.open(folder, Map.of("CONVOKE_PRESENCE_RECONCILE_INTERVAL", "4s"))) {
      var _ =
          house
              .admin()
              .post(
                  "/admin/users",
                  "{\"email\": \"olivia@example.org\", \"max_concurrent_bots\": null}");
      String key = house.key("olivia@example.org");
      Caller olivia = new Caller(house.server().url(), Map.of("X-API-Key", key));
      long last = 0;
      for (Scene scene : SCENES) {
        last = play(house, olivia, scene);
      }
      String meeting = "/meetings/" + last;
      String url = house.server().url();
      try (Reader light = Reader.atDesk(chromium.browser(), url, ColorScheme.LIGHT);
          Reader dark = Reader.atDesk(chromium.browser(), url, ColorScheme.DARK);
          Reader phone = Reader.onPhone(chromium.browser(), url)) {
        // The lanes are worth a look once the meeting has lasted a little.
        dark.open(meeting, key).isSettled();
        dark.page().waitForFunction("() => /[1-9]:\\d\\d/.test(document.querySelector('.meta .num').textContent)", null, new Page.WaitForFunctionOptions().setTimeout(180_000));
        shoot(light.open("/meetings", key), "console-meetings-light.png", false);
        shoot(dark.open("/meetings", key), "console-meetings-dark.png", false);
        shoot(light.open(meeting, key), "console-meeting-light.png", true);
        shoot(phone.open(meeting, key), "console-meeting-phone.png", true);
      }
    }
  }

  private static long play(House house, Caller olivia, Scene scene) throws Exception {
    String body =
        "{\"platform\": \"daily\", \"native_meeting_id\": \"%s\", \"data\": {\"title\": \"%s\"}}"
            .formatted(scene.room(), scene.title());
    for (String name : scene.people()) {
      house.meet(scene.room(), name);
    }
    var reply = olivia.post(scene.bot() ? "/bots/start" : "/meetings", body);
    Assertions.assertEquals(201, reply.status(), () -> reply.body().toString());
    long id = reply.body().path("id").asLong();
    if (!scene.people().isEmpty()) {
      var _ =
          olivia.await(
              0,
              event ->
                  event.path("type").asString().equals("participant.joined")
                      && event.path("data").path("meeting_id").asLong() == id);
    }
    return id;
  }

  private static void shoot(Reader reader, String name, boolean whole) {
    reader.isSettled();
    reader.page().waitForLoadState();
    reader.page()
        .screenshot(
            new Page.ScreenshotOptions().setPath(IMAGES.resolve(name)).setFullPage(whole));
  }
}
