package io.convoke.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.options.ColorScheme;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.journey.House;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A list of 100,000 meetings that somebody scrolls through while 200 events a second change them.
 * The rows are put where loaded ones are held, since loading them by the page would take a thousand
 * requests; the events come from the server. What it took is printed, for it says something on a
 * quiet machine only; {@code -Dconvoke.minutes=10} goes on for longer and prints the memory.
 */
class ManyRowsTest {
  private static final int ROWS = 100_000;
  private static final int EVENTS = 20;
  private static final int PAUSE_MS = 100;

  /** Of rows that are near the screen, with what is drawn ahead. */
  private static final int DRAWN_MAX = 120;

  private static final String FILL =
      """
      async (count) => {
        const { name } = performance.getEntriesByType('resource').find((each) => each.name.endsWith('/store.js'));
        const { meetings } = await import(name);
        window.held = meetings;
        const like = [...meetings.rows.values()][0];
        for (let id = 1_000_000; id < 1_000_000 + count; id++) {
          meetings.put({ ...like, id, native_meeting_id: `room-${id}`, num_clients: 0 });
        }
      }
      """;

  /** Scrolls from end to end and back, a screen in each frame, until it is told to stop. */
  private static final String SCROLL =
      """
      () => {
        window.tasks = [];
        new PerformanceObserver((list) => window.tasks.push(...list.getEntries().map(({ duration }) => duration)))
          .observe({ type: 'longtask' });
        window.frames = 0;
        let by = 700;
        const step = () => {
          const { scrollY, innerHeight } = window;
          if (scrollY <= 0) by = 700;
          if (scrollY + innerHeight >= document.documentElement.scrollHeight - 1) by = -700;
          window.scrollBy(0, by);
          window.frames++;
          window.scrolling = requestAnimationFrame(step);
        };
        step();
      }
      """;

  private static Chromium chromium;
  private static House house;
  private static Database database;

  @BeforeAll
  static void open(@TempDir Path folder) throws Exception {
    chromium = Chromium.start();
    house = House.open(folder, Map.of());
    database = Database.open(DatabaseUrl.parse(house.databaseUrl()), 1, "test", List.of("convoke"));
  }

  @AfterAll
  static void close() {
    if (house != null) {
      database.close();
      house.close();
      chromium.close();
    }
  }

  @Test
  void aHundredThousandRowsScrollWhileTheyChange() throws Exception {
    var _ =
        house
            .user("mia@example.org")
            .post("/meetings", "{\"platform\": \"daily\", \"native_meeting_id\": \"the-room\"}");
    try (Reader reader =
        Reader.atDesk(chromium.browser(), house.server().url().toString(), ColorScheme.LIGHT)) {
      reader.operate("/meetings?show=all", House.ADMIN);
      reader.sees(reader.find("[role=row]").nth(1), "the-room");
      reader.isSettled();
      var _ = reader.page().evaluate(FILL, ROWS);
      reader.sees(reader.find(".summary"), (ROWS + 1) + " meetings");
      var _ = reader.page().evaluate(SCROLL);

      long slices = Math.max(1, 6 * Long.getLong("convoke.minutes", 0));
      for (long slice = 1; slice <= slices; slice++) {
        changes(reader, 100);
        System.out.printf(
            "100,000 rows, 200 events a second, slice %d: longest task %s ms, %s frames, heap %s MB%n",
            slice,
            reader.page().evaluate("() => Math.max(0, ...window.tasks.splice(0))"),
            reader.page().evaluate("() => window.frames"),
            reader.page().evaluate("() => performance.memory.usedJSHeapSize / 1e6"));
      }
      var _ = reader.page().evaluate("() => cancelAnimationFrame(window.scrolling)");
      assertThat(reader.find("[data-row]").count()).isLessThan(DRAWN_MAX);
      reader.comesTrue("() => window.held.get(1_099_999).num_clients === 77");
      assertThat(reader.isDrawn()).as("whether the browser still draws").isTrue();
      var _ = reader.page().evaluate("() => window.scrollTo(0, 0)");
      reader.sees(reader.row(1_099_999), "77");
      var _ =
          reader.page().evaluate("() => window.scrollTo(0, document.documentElement.scrollHeight)");
      reader.sees(reader.find("[data-row]").last(), "the-room");
      reader.hadNoTroubleBut();
    }
  }

  /** Two hundred changes a second of rows at random, by the browser's clock; the last is known. */
  private static void changes(Reader reader, int batches) {
    for (int batch = 1; batch <= batches; batch++) {
      boolean last = batch == batches;
      int _ =
          database.read(
              tx ->
                  tx.sql(
                          """
                          with made as (
                            insert into events (type, subject, data)
                            select 'participant.joined', 'meeting:' || id,
                                   jsonb_build_object('meeting_id', id, 'num_clients', people)
                            from (
                              select case when ? and n = 20 then 1099999
                                          else 1000000 + floor(random() * 100000)::bigint end as id,
                                     case when ? and n = 20 then 77 else n end as people
                              from generate_series(1, ?) as n) as changed
                            returning seq)
                          select count(pg_notify('convoke_events', 'test')) as n from made
                          """)
                      .with(last, last, EVENTS)
                      .one(row -> row.intAt("n")));
      reader.page().waitForTimeout(PAUSE_MS);
    }
  }
}
