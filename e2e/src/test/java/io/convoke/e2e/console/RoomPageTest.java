package io.convoke.e2e.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.options.ColorScheme;
import io.convoke.agent.blobs.BlobKey;
import io.convoke.agent.blobs.FolderBlobStore;
import io.convoke.e2e.journey.ApiUser;
import io.convoke.e2e.journey.JourneyTestServer;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The page of a meeting in a room: who speaks, the last words, and what pods make of the room. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
@Tag("heavy")
@Tag("nightly")
class RoomPageTest {
  private static Chromium chromium;
  private static JourneyTestServer testServer;
  private static Database database;
  private static FolderBlobStore blobs;
  private static String key;
  private static long olivia;

  @BeforeAll
  @Timeout(value = 5, unit = TimeUnit.MINUTES)
  static void open(@TempDir Path folder) throws Exception {
    chromium = Chromium.start();
    testServer = JourneyTestServer.open(folder, java.util.Map.of());
    ApiUser admin = testServer.admin();
    olivia =
        admin
            .post("/admin/users", "{\"email\": \"olivia@example.org\"}")
            .body()
            .path("id")
            .asLong();
    key = admin.post("/admin/users/" + olivia + "/tokens", "{}").body().path("token").asString();
    database =
        Database.open(DatabaseUrl.parse(testServer.databaseUrl()), 2, "test", List.of("convoke"));
    blobs = new FolderBlobStore(folder.resolve("blobs"));
  }

  @AfterAll
  static void close() {
    if (testServer != null) {
      blobs.close();
      database.close();
      testServer.close();
      chromium.close();
    }
  }

  private static void sql(String statement, Object... parameters) {
    database.run(
        tx -> {
          int _ = tx.sql(statement).with(parameters).update();
        });
  }

  /**
   * A meeting of Olivia's that goes on, in a room of its own; both have been there for a minute.
   */
  private static long meeting(String room) {
    long id =
        database.read(
            tx ->
                tx.sql(
                        """
                        insert into meetings (user_id, platform, platform_specific_id, status,
                          tracked, start_time, num_clients)
                        values (?, 'janus', ?, 'active', true, now() - interval '1 minute', 2)
                        returning id
                        """)
                    .with(olivia, room)
                    .one(row -> row.longAt("id")));
    for (String name : List.of("Ada", "Ben")) {
      sql(
          """
          insert into participant_sessions
            (meeting_id, session_id, user_name, joined_at, join_source, last_seen_at)
          values (?, ?, ?, now() - interval '50 seconds', 'poll', now())
          """,
          id,
          room + name,
          name);
    }
    return id;
  }

  private static void said(long meeting, int secondsAgo, int length, String speaker, String text) {
    sql(
        """
        insert into transcriptions (meeting_id, session_uid, start_time, end_time, text, speaker)
        values (?, 's', ?, ?, ?, ?)
        """,
        meeting,
        60 - secondsAgo,
        60 - secondsAgo + length,
        text,
        speaker);
  }

  private static void made(String task, String room, String kind, String state) {
    sql(
        """
        insert into egresses (task_id, user_id, room, kind, state, created_at, ended_at, bytes)
        values (?, ?, ?, ?, ?, now() - interval '30 seconds',
          case when ? = 'SUCCESS' then now() end, case when ? = 'SUCCESS' then 12345 end)
        on conflict (task_id) do update set state = excluded.state, ended_at = excluded.ended_at
        """,
        task,
        olivia,
        room,
        kind,
        state,
        state,
        state);
  }

  private static void picture(String task, int color) throws IOException {
    BufferedImage image = new BufferedImage(64, 36, BufferedImage.TYPE_INT_RGB);
    for (int i = 0; i < 64 * 36; i++) {
      image.setRGB(i % 64, i / 64, color);
    }
    ByteArrayOutputStream png = new ByteArrayOutputStream();
    assertThat(ImageIO.write(image, "png", png)).isTrue();
    var _ =
        blobs.put(
            new BlobKey("egress/" + task + "/latest.png"),
            new ByteArrayInputStream(png.toByteArray()));
  }

  @Test
  void theLatestPictureIsShownAndRenewed() throws Exception {
    long meeting = meeting("stage");
    made("pictures", "stage", "snapshots", "PROCESSING");
    made("stream", "stage", "hls", "PROCESSING");
    made("film", "stage", "record", "PROCESSING");
    made("elsewhere", "cellar", "record", "SUCCESS");
    picture("pictures", 0xff0000);
    try (ConsoleUser consoleUser = onDesktop()) {
      consoleUser.open("/meetings/" + meeting, key).isSettled();
      Locator made = consoleUser.find("[data-egress]");
      consoleUser.counts(made, 3);
      consoleUser.becomesTrue(shows("r > 200 && g < 50"));
      picture("pictures", 0x00ff00);
      consoleUser.becomesTrue(shows("g > 200 && r < 50"));
      consoleUser.sees(consoleUser.find("[data-egress=film]"), "when the task has ended");
      assertThat(consoleUser.find("[data-egress=stream] a").getAttribute("href"))
          .isEqualTo("/egress/stream/files/index.m3u8");
      Axe.findsNothingSerious(consoleUser.page(), "a room with pods");

      made("film", "stage", "record", "SUCCESS");
      consoleUser.sees(consoleUser.find("[data-egress=film] .chip"), "done");
      consoleUser.sees(consoleUser.find("[data-egress=film]"), "nothing to see");
      consoleUser.hadNoErrorsExcept("404");
    }
  }

  /** Whether the picture is this colour. */
  private static String shows(String condition) {
    return """
        () => {
          const image = document.querySelector('.egress img');
          if (!image?.complete || !image.naturalWidth) return false;
          const canvas = document.createElement('canvas');
          canvas.width = canvas.height = 1;
          const context = canvas.getContext('2d');
          context.drawImage(image, 0, 0, 1, 1);
          const [r, g] = context.getImageData(0, 0, 1, 1).data;
          return %s;
        }
        """
        .formatted(condition);
  }

  @Test
  void eachSpeakerHasALaneWithWhatWasSpokenAndTheLastWordsAreCaptions() throws Exception {
    long meeting = meeting("hall");
    sql(
        "insert into meeting_sessions (meeting_id, session_uid, session_start_time)"
            + " values (?, 's', now() - interval '60 seconds')",
        meeting);
    said(meeting, 45, 5, "Ada", "We sell the boat on Monday.");
    said(meeting, 30, 5, "Ben", "It never rains in that desert.");
    said(meeting, 15, 5, "Cleo", "I came late.");
    try (ConsoleUser consoleUser = onDesktop()) {
      consoleUser.open("/meetings/" + meeting, key).isSettled();
      consoleUser.counts(consoleUser.find(".lane-name:not(.lane-name-bot)"), 3);
      consoleUser.counts(consoleUser.find(".spoken"), 3);
      consoleUser.sees(consoleUser.find(".captions"), "I came late.");
      // Each in the own lane, in the order of time.
      assertThat(
              consoleUser
                  .page()
                  .evaluate(
                      """
                      () => {
                        const all = [...document.querySelectorAll('.spoken')].map((each) => each.getBoundingClientRect());
                        return all.every(({ left, top }, i) => i === 0 || (left > all[i - 1].right && top > all[i - 1].bottom));
                      }
                      """))
          .isEqualTo(true);
      consoleUser.find(".lane-table summary").click();
      assertThat(consoleUser.find(".lane-table tbody tr").first().innerText()).contains("5 s");
      Axe.findsNothingSerious(consoleUser.page(), "a room with speakers");
      // Nothing new is said: the captions go.
      consoleUser.counts(consoleUser.find(".captions"), 0);
      consoleUser.hadNoErrorsExcept();
    }
  }

  private static ConsoleUser onDesktop() {
    return ConsoleUser.onDesktop(chromium.browser(), testServer.server().url(), ColorScheme.LIGHT);
  }
}
