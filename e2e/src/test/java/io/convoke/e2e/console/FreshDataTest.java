package io.convoke.e2e.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.APIResponse;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.ColorScheme;
import io.convoke.e2e.journey.JourneyTestServer;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What pages show is the newest, in whatever order answers and events come, and however many. */
@Tag("heavy")
@Tag("nightly")
class FreshDataTest {
  private static final String NETWORK = "Failed to load resource";

  /** A request for one meeting. */
  private static final String MEETING = ".*/meetings/\\d+";

  /** The rooms of the list at the side; it counts the further ones. */
  private static final int SHORTLIST = 7;

  private static Chromium chromium;
  private static JourneyTestServer testServer;
  private static Database database;
  private static long olivia;

  @BeforeAll
  static void open(@TempDir Path folder) throws Exception {
    chromium = Chromium.start();
    testServer = JourneyTestServer.open(folder, Map.of("CONVOKE_BOTS_SWEEP_INTERVAL", "10m"));
    olivia =
        testServer
            .admin()
            .post("/admin/users", "{\"email\": \"olivia@example.org\"}")
            .body()
            .path("id")
            .asLong();
    database =
        Database.open(DatabaseUrl.parse(testServer.databaseUrl()), 1, "test", List.of("convoke"));
  }

  @AfterEach
  void end() {
    sql("update meetings set status = 'completed', end_time = now() where status = 'active'");
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
  void aBotOfABusyMeetingIsShownWithItsNewestEvents() {
    long bot = meeting("busy", false, 0);
    happens("participant.joined", bot, "{\"user_name\": \"Early\"}", 2001);
    try (ConsoleUser consoleUser = onDesktop()) {
      consoleUser.operate("/bots/" + bot, JourneyTestServer.ADMIN).isSettled();
      happens(
          "bot.command_sent",
          bot,
          "{\"command_id\": \"c\", \"action\": \"leave\", \"actor\": \"user:1\"}",
          1);
      consoleUser.sees(consoleUser.find(".told"), "leave");
      consoleUser.sees("Older events are on the server.");
      consoleUser.hadNoErrorsExcept();
    }
  }

  @Test
  void aSteadyStreamOfChangesPostponesNoFetch() {
    begin(1);
    try (ConsoleUser consoleUser = onDesktop()) {
      consoleUser.operate("/bots", JourneyTestServer.ADMIN).isSettled();
      consoleUser.sees(consoleUser.find(".side-rooms"), "In session");
      AtomicInteger asked = new AtomicInteger();
      consoleUser
          .page()
          .onRequest(
              request -> {
                if (request.url().matches(MEETING)) {
                  int _ = asked.incrementAndGet();
                }
              });
      for (int begun = 0; begun < 150; begun++) {
        begin(1);
        consoleUser.page().waitForTimeout(10);
      }
      assertThat(asked.get()).as("fetches during the stream").isPositive();
      consoleUser.sees(consoleUser.find(".side-rooms"), "and " + (151 - SHORTLIST) + " more");
      consoleUser.hadNoErrorsExcept();
    }
  }

  @Test
  void moreChangesThanAreQueuedReloadAllThatIsShown() {
    begin(1);
    try (ConsoleUser consoleUser = onDesktop()) {
      consoleUser.operate("/bots", JourneyTestServer.ADMIN).isSettled();
      consoleUser.sees(consoleUser.find(".side-rooms"), "In session");
      begin(450);
      consoleUser.sees(consoleUser.find(".side-rooms"), "and " + (451 - SHORTLIST) + " more");
      consoleUser.hadNoErrorsExcept();
    }
  }

  @Test
  void anEventDuringTheReadOfATimelineIsKept() {
    long meeting = meeting("long-talk", true, 0);
    happens("participant.joined", meeting, "{\"user_name\": \"Early\"}", 250);
    try (ConsoleUser consoleUser = onDesktop()) {
      List<Route> held = new ArrayList<>();
      AtomicBoolean released = new AtomicBoolean();
      consoleUser
          .page()
          .route(
              url -> url.contains("/timeline?") && url.contains("cursor="),
              route -> {
                if (released.get()) {
                  route.resume();
                } else {
                  boolean _ = held.add(route);
                }
              });
      ConsoleUser _ = consoleUser.operate("/meetings/" + meeting, JourneyTestServer.ADMIN);
      consoleUser.sees(consoleUser.find(".present"), "The room is empty.");
      consoleUser.page().waitForCondition(() -> !held.isEmpty());

      sql(
          """
          insert into participant_sessions
            (meeting_id, session_id, user_name, joined_at, join_source, last_seen_at)
          values (?, 'late', 'Grace', now(), 'poll', now())
          """,
          meeting);
      happens(
          "participant.joined", meeting, "{\"session_id\": \"late\", \"user_name\": \"Grace\"}", 1);
      consoleUser.sees(consoleUser.find(".present"), "Grace");
      released.set(true);
      held.forEach(Route::resume);

      consoleUser.sees(consoleUser.find(".timeline"), "Early joined");
      consoleUser.sees(consoleUser.find(".timeline"), "Grace joined");
      consoleUser.hadNoErrorsExcept();
    }
  }

  /** A tab that is shown again reads all that is shown, as each new connection does. */
  @Test
  void aTimelineThatIsReadAgainKeepsItsOlderEvents() {
    long meeting = meeting("all-day", true, 0);
    happens("participant.joined", meeting, "{\"user_name\": \"Early\"}", 1100);
    happens("participant.joined", meeting, "{\"user_name\": \"Late\"}", 1);
    try (ConsoleUser consoleUser = onDesktop()) {
      ConsoleUser _ = consoleUser.operate("/meetings/" + meeting, JourneyTestServer.ADMIN);
      consoleUser.counts(consoleUser.find(".past-slide input[max='1000']"), 1);
      consoleUser.find("[aria-label='Which events'] button:has-text('Bot')").click();
      consoleUser.find("button:has-text('Show older events')").click();
      consoleUser.counts(consoleUser.find(".past-slide input[max='1101']"), 1);
      consoleUser.find("[aria-label='Which events'] button:has-text('All')").click();

      sql(
          """
          update events set data = data || '{"user_name": "Renamed"}'
          where data ->> 'user_name' = 'Late'
          """);
      var _ = consoleUser.page().evaluate("dispatchEvent(new Event('offline'))");
      consoleUser.sees(consoleUser.find(".timeline"), "Renamed joined");
      consoleUser.counts(consoleUser.find(".past-slide input[max='1101']"), 1);
      consoleUser.hadNoErrorsExcept();
    }
  }

  @Test
  void anAnswerFromBeforeAStopDoesNotUndoIt() {
    long stopped = meeting("stopped-room", false, 1);
    long _ = meeting("other-room", false, 1);
    try (ConsoleUser consoleUser = onDesktop()) {
      List<Route> held = new ArrayList<>();
      consoleUser.page().route(url -> url.contains("/bots/active?limit=200"), held::add);
      ConsoleUser _ = consoleUser.operate("/bots", JourneyTestServer.ADMIN);
      consoleUser.sees(consoleUser.find(".side-rooms"), "stopped-room");
      consoleUser.page().waitForCondition(() -> !held.isEmpty());
      APIResponse old = held.getFirst().fetch();

      sql(
          """
          update meetings set status = 'completed', end_time = now(), updated_at = now()
          where id = ?
          """,
          stopped);
      happens(
          "meeting.status_changed", stopped, "{\"from\": \"active\", \"to\": \"completed\"}", 1);
      consoleUser.counts(consoleUser.find(".side-room:has-text('stopped-room')"), 0);
      String renamed = old.text().replace("\"other-room\"", "\"renamed-room\"");
      held.getFirst().fulfill(new Route.FulfillOptions().setResponse(old).setBody(renamed));

      consoleUser.sees(consoleUser.find(".side-rooms"), "renamed-room");
      consoleUser.counts(consoleUser.find(".side-room:has-text('stopped-room')"), 0);
      consoleUser.hadNoErrorsExcept();
    }
  }

  /** The first answers after a break may be those of a server that is still starting. */
  @Test
  void aListThatCouldNotBeReadAgainIsReadOnceItCan() {
    long early = meeting("early-room", true, 1);
    try (ConsoleUser consoleUser = onDesktop()) {
      consoleUser.operate("/meetings", JourneyTestServer.ADMIN).isSettled();
      consoleUser.counts(consoleUser.row(early), 1);
      refuse(consoleUser, url -> url.contains("/meetings?"), 2);
      long late = meeting("late-room", true, 1);
      var _ = consoleUser.page().evaluate("dispatchEvent(new Event('offline'))");
      consoleUser.sees(consoleUser.find(".page .problem"), "Service Unavailable");
      consoleUser.counts(consoleUser.row(late), 1);
      consoleUser.counts(consoleUser.find(".page .problem"), 0);
      consoleUser.hadNoErrorsExcept(NETWORK);
    }
  }

  /** Else all bots would be late, and those that are late are ended by force together. */
  @Test
  void aMachineWhoseClockIsAheadShowsHowLongBotsHaveByTheServersClock() {
    long bot = meeting("clock", false, 0);
    try (ConsoleUser consoleUser = onDesktop()) {
      consoleUser
          .page()
          .addInitScript("const clock = Date.now; Date.now = () => clock() + 3_600_000;");
      consoleUser.operate("/bots", JourneyTestServer.ADMIN).isSettled();
      consoleUser.sees(consoleUser.row(bot), "left");
      consoleUser.counts(consoleUser.find("[data-row] .trouble"), 0);
      consoleUser.operate("/bots?show=late", JourneyTestServer.ADMIN).isSettled();
      consoleUser.sees("No late bots");
      consoleUser.press("Shift+K");
      consoleUser.sees(consoleUser.find(".bulk-sum"), "Dry run: 0 of 0");
      consoleUser.hadNoErrorsExcept();
    }
  }

  /** Answers take their time, and not all of them have the header. */
  @Test
  void theClockDoesNotFollowEachAnswer() {
    try (ConsoleUser consoleUser = onDesktop()) {
      consoleUser.operate("/bots", JourneyTestServer.ADMIN).isSettled();
      Object changes =
          consoleUser
              .page()
              .evaluate(
                  """
                  async () => {
                    const { setTime, time } = await import('/time.js');
                    const change = (headers) => {
                      const before = time() - Date.now();
                      setTime(new Response('', { headers }));
                      return Math.round((time() - Date.now() - before) / 20_000);
                    };
                    const off = (ms) => ({ Date: new Date(time() + ms).toUTCString() });
                    const later = change(off(60_000));
                    return [later, change({}), change(off(-1500)), change(off(-40_000))].join();
                  }
                  """);
      assertThat(changes).isEqualTo("3,0,0,-2");
      consoleUser.hadNoErrorsExcept();
    }
  }

  @Test
  void aRowThatCouldNotBeFetchedIsFetchedAgain() {
    try (ConsoleUser consoleUser = onDesktop()) {
      consoleUser.operate("/meetings", JourneyTestServer.ADMIN).isSettled();
      consoleUser.counts(consoleUser.find("[data-row]"), 0);
      refuse(consoleUser, url -> url.matches(MEETING), 1);
      begin(1);
      consoleUser.counts(consoleUser.find("[data-row]"), 1);
      consoleUser.hadNoErrorsExcept(NETWORK);
    }
  }

  @Test
  void aMeetingThatCouldNotBeReadIsReadAgainWithItsTimeline() {
    long meeting = meeting("slow-start", true, 0);
    happens("participant.joined", meeting, "{\"user_name\": \"Early\"}", 1);
    // The list at the side would tell of one that goes on.
    sql("update meetings set status = 'completed', end_time = now() where id = ?", meeting);
    try (ConsoleUser consoleUser = onDesktop()) {
      refuse(consoleUser, url -> url.matches(".*:\\d+/meetings/" + meeting), 2);
      ConsoleUser _ = consoleUser.operate("/meetings/" + meeting, JourneyTestServer.ADMIN);
      consoleUser.sees("Meeting " + meeting + " could not be loaded");
      consoleUser.sees(consoleUser.find(".timeline"), "Early joined");
      consoleUser.hadNoErrorsExcept(NETWORK);
    }
  }

  @Test
  void everyTaskOfABurstIsListedOrBehindTheButton() {
    tasks("burst", "SUCCESS", 1, 5);
    try (ConsoleUser consoleUser = onDesktop()) {
      consoleUser.operate("/dispatch?type=burst", JourneyTestServer.ADMIN).isSettled();
      listsTasks(consoleUser, 5);
      tasks("burst", "SUCCESS", 6, 305);
      Locator older = consoleUser.find("button:has-text('Load older tasks')");
      for (int page = 2; page <= 4; page++) {
        consoleUser.counts(older, 1);
        older.click();
      }
      listsTasks(consoleUser, 305);
      consoleUser.hadNoErrorsExcept();
    }
  }

  @Test
  void aTaskThatFailsLongAfterItWasAskedForIsListedWithItsNeighbours() {
    tasks("lost", "FAILED", 1, 150);
    tasks("lost", "SUCCESS", 20, 20);
    try (ConsoleUser consoleUser = onDesktop()) {
      consoleUser.operate("/dispatch?type=lost&show=failed", JourneyTestServer.ADMIN).isSettled();
      consoleUser.find("button:has-text('Load older tasks')").click();
      listsTasks(consoleUser, 149);
      tasks("lost", "FAILED", 20, 20);
      listsTasks(consoleUser, 150);
      consoleUser.hadNoErrorsExcept();
    }
  }

  /** Waits until the list has all of so many tasks. */
  private static void listsTasks(ConsoleUser consoleUser, int count) {
    String table = "[aria-label=Tasks][aria-rowcount='%d']".formatted(count + 1);
    consoleUser.counts(consoleUser.find(table), 1);
  }

  /** Has so many requests of the page refused, and those that follow answered. */
  private static void refuse(ConsoleUser consoleUser, Predicate<String> urls, int count) {
    AtomicInteger asked = new AtomicInteger();
    consoleUser.refuse(urls, () -> asked.getAndIncrement() < count);
  }

  private static ConsoleUser onDesktop() {
    return ConsoleUser.onDesktop(chromium.browser(), testServer.server().url(), ColorScheme.LIGHT);
  }

  private static void sql(String statement, Object... parameters) {
    database.run(
        tx -> {
          int _ = tx.sql(statement).with(parameters).update();
        });
  }

  /** A meeting that goes on, of which no event tells. */
  private static long meeting(String room, boolean tracked, int people) {
    return database.read(
        tx ->
            tx.sql(
                    """
                    insert into meetings (user_id, platform, platform_specific_id, status,
                      tracked, start_time, num_clients)
                    values (?, 'janus', ?, 'active', ?, now(), ?)
                    returning id
                    """)
                .with(olivia, room, tracked, people)
                .one(resultRow -> resultRow.longAt("id")));
  }

  /** So many meetings with one person each, and an event of each. */
  private static void begin(int count) {
    int _ =
        database.read(
            tx ->
                tx.sql(
                        """
                        with made as (
                          insert into meetings (user_id, platform, platform_specific_id, status,
                            tracked, start_time, num_clients)
                          select ?, 'janus', gen_random_uuid()::text, 'active', true, now(), 1
                          from generate_series(1, ?)
                          returning id),
                        told as (
                          insert into events (type, subject, data)
                          select 'meeting.status_changed', 'meeting:' || id,
                                 jsonb_build_object('meeting_id', id, 'to', 'active')
                          from made returning seq)
                        select count(pg_notify('convoke_events', 'test')) as n from told
                        """)
                    .with(olivia, count)
                    .one(resultRow -> resultRow.intAt("n")));
  }

  /** So many events of a meeting; each has a session of its own unless the data names one. */
  private static void happens(String type, long meeting, String data, int count) {
    int _ =
        database.read(
            tx ->
                tx.sql(
                        """
                        with made as (
                          insert into events (type, subject, data)
                          select ?::text, 'meeting:' || ?::bigint,
                                 jsonb_build_object('meeting_id', ?::bigint, 'session_id', 's' || n)
                                   || ?::jsonb
                          from generate_series(1, ?) as n returning seq)
                        select count(pg_notify('convoke_events', 'test')) as n from made
                        """)
                    .with(type, meeting, meeting, data, count)
                    .one(resultRow -> resultRow.intAt("n")));
  }

  /** Ended tasks, or their state from now on, with an event of each; a later number is newer. */
  private static void tasks(String type, String state, int first, int last) {
    int _ =
        database.read(
            tx ->
                tx.sql(
                        """
                        with wanted as (
                          select n, ?::text as type, ?::text || '-' || n as id
                          from generate_series(?, ?) as n),
                        made as (
                          insert into tasks (id, request_id, state, channel, spec, created_at,
                            queued_at, completed_at)
                          select id, id, ?::text, 'room',
                                 jsonb_build_object('id', id, 'request_id', id, 'type', type,
                                   'action', 'start', 'channel', 'room', 'payload', '{}'::jsonb),
                                 now() - interval '1 hour' + n * interval '1 second', now(), now()
                          from wanted
                          on conflict (id) do update set state = excluded.state
                          returning id),
                        told as (
                          insert into events (type, subject, data)
                          select 'task.' || lower(?::text), 'task:' || id,
                                 jsonb_build_object('task_id', id)
                          from made returning seq)
                        select count(pg_notify('convoke_events', 'test')) as n from told
                        """)
                    .with(type, type, first, last, state, state)
                    .one(resultRow -> resultRow.intAt("n")));
  }
}
