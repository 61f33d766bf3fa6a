package io.convoke.e2e.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.options.ColorScheme;
import io.convoke.e2e.journey.JourneyTestServer;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A list of 100,000 meetings that a wheel scrolls while 200 events a second change it. The test
 * puts the rows into the page's cache, since loading them would take a thousand requests; the
 * events come from the server. The measurements are printed, since they mean something on a quiet
 * machine only; {@code -Dconvoke.minutes=10} runs longer and measures the memory.
 */
@Tag("nightly")
class ManyRowsTest {
  private static final int ROWS = 100_000;
  private static final int EVENTS = 20;
  private static final int PAUSE_MS = 100;

  /** As far as one turn of the wheel scrolls, in pixels. */
  private static final int SCREEN = 700;

  /** In fewer the browser need not have collected all of its garbage once. */
  private static final int FLAT_SLICES = 30;

  private static final double FLAT = 1.5;
  private static final String HEAP_MB = "() => performance.memory.usedJSHeapSize / 1e6";

  /** Rows near the screen, with those drawn ahead. */
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

  /** Counts drawn rows and records long frames. */
  private static final String WATCH =
      """
      () => {
        window.tasks = [];
        new PerformanceObserver((list) => window.tasks.push(...list.getEntries().map(({ duration }) => duration)))
          .observe({ type: 'longtask' });
        window.frames = 0;
        const step = () => {
          window.frames++;
          window.watching = requestAnimationFrame(step);
        };
        step();
      }
      """;

  private static Chromium chromium;
  private static JourneyTestServer testServer;
  private static Database database;

  @BeforeAll
  static void open(@TempDir Path folder) throws Exception {
    chromium = Chromium.start();
    testServer = JourneyTestServer.open(folder, Map.of());
    database =
        Database.open(DatabaseUrl.parse(testServer.databaseUrl()), 1, "test", List.of("convoke"));
  }

  @AfterAll
  static void close() {
    if (testServer != null) {
      database.close();
      testServer.close();
      chromium.close();
    }
  }

  @Test
  void aHundredThousandRowsScrollWhileTheyChange() throws Exception {
    var _ =
        testServer
            .user("mia@example.org")
            .post("/meetings", "{\"platform\": \"daily\", \"native_meeting_id\": \"the-room\"}");
    try (ConsoleUser consoleUser =
        ConsoleUser.onDesktop(
            chromium.browser(), testServer.server().url().toString(), ColorScheme.LIGHT)) {
      consoleUser.operate("/meetings?show=all", JourneyTestServer.ADMIN);
      consoleUser.sees(consoleUser.find("[role=row]").nth(1), "the-room");
      consoleUser.isSettled();
      var _ = consoleUser.page().evaluate(FILL, ROWS);
      consoleUser.sees(consoleUser.find(".summary"), (ROWS + 1) + " meetings");
      var _ = consoleUser.page().evaluate(WATCH);
      consoleUser.page().mouse().move(600, 500);

      long slices = Math.max(1, 6 * Long.getLong("convoke.minutes", 0));
      List<Double> heaps = new ArrayList<>();
      for (long slice = 1; slice <= slices; slice++) {
        changes(consoleUser, 100, slice % 2 == 0 ? -SCREEN : SCREEN);
        heaps.add(((Number) consoleUser.page().evaluate(HEAP_MB)).doubleValue());
        System.out.printf(
            "100,000 rows, 200 events a second, slice %d: longest task %s ms, %s frames, heap %.1f"
                + " MB%n",
            slice,
            consoleUser.page().evaluate("() => Math.max(0, ...window.tasks.splice(0))"),
            consoleUser.page().evaluate("() => window.frames"),
            heaps.getLast());
      }
      staysFlat(heaps);
      var _ = consoleUser.page().evaluate("() => cancelAnimationFrame(window.watching)");
      assertThat(consoleUser.find("[data-row]").count()).isLessThan(DRAWN_MAX);
      consoleUser.becomesTrue("() => window.held.get(1_099_999).num_clients === 77");
      assertThat(consoleUser.isDrawn()).as("whether the browser still draws").isTrue();
      var _ = consoleUser.page().evaluate("() => window.scrollTo(0, 0)");
      consoleUser.sees(consoleUser.row(1_099_999), "77");
      var _ =
          consoleUser
              .page()
              .evaluate("() => window.scrollTo(0, document.documentElement.scrollHeight)");
      consoleUser.sees(consoleUser.find("[data-row]").last(), "the-room");
      consoleUser.hadNoErrorsExcept();
    }
  }

  /** After a collection there is as much in the heap at the end as at the beginning. */
  private static void staysFlat(List<Double> heaps) {
    if (heaps.size() >= FLAT_SLICES) {
      int half = heaps.size() / 2;
      assertThat(Collections.min(heaps.subList(half, heaps.size())))
          .as("lowest of the later half of %s MB", heaps)
          .isLessThan(FLAT * Collections.min(heaps.subList(0, half)));
    }
  }

  /**
   * Turns the wheel as long as two hundred changes a second of rows at random arrive; the last is
   * known.
   */
  private static void changes(ConsoleUser consoleUser, int batches, int scroll) {
    AtomicInteger made = new AtomicInteger();
    try (ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor()) {
      Future<?> changing =
          clock.scheduleAtFixedRate(
              () -> {
                if (made.get() < batches) {
                  change(made.get() == batches - 1);
                  int _ = made.incrementAndGet();
                }
              },
              0,
              PAUSE_MS,
              TimeUnit.MILLISECONDS);
      while (made.get() < batches) {
        consoleUser.page().mouse().wheel(0, scroll);
        assertThat(changing).isNotDone();
      }
    }
  }

  private static void change(boolean last) {
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
                    .one(resultRow -> resultRow.intAt("n")));
  }
}
