package io.convoke.e2e.journey;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.fakes.client.ApiClient;
import io.convoke.fakes.client.ApiReply;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Limits hold across server processes at every moment, and every reservation is released. */
@Tag("heavy")
@Tag("nightly")
final class BotAdmissionTest {
  private static final String LIVE =
      "select count(*) as n from meetings where user_id = ? and status not in ('completed',"
          + " 'failed')";

  private static BotServerCluster fleet;

  @BeforeAll
  static void start(@TempDir Path folder) {
    // Bots that do nothing: the tests count reservations.
    fleet = new BotServerCluster(folder, 3, Map.of("CONVOKE_BOT_COMMAND", "exec sleep 100"));
    // The first start of a server loads and compiles what all others use.
    ApiClient.CreatedUser first = fleet.user("first", 3);
    for (int server = 0; server < 3; server++) {
      assertThat(start(first, server, "first-" + server).status()).isEqualTo(201);
    }
    stopAll(first);
  }

  @AfterAll
  static void stop() {
    fleet.close();
  }

  @Test
  void twoHundredStartsAtOnceOverThreeServersWithALimitOfTenMakeTenBots() throws Exception {
    ApiClient.CreatedUser user = fleet.user("ten", 10);
    List<Integer> statuses = atOnce(200, i -> start(user, i, "room-" + i).status());
    assertThat(counted(statuses)).isEqualTo(Map.of(201, 10L, 429, 190L));
    assertThat(fleet.count(LIVE, user.id())).isEqualTo(10);
    stopAll(user);
    assertThat(start(user, 0, "one-more").status()).isEqualTo(201);
    stopAll(user);
  }

  @Test
  void twoHundredStartsAtOnceForOneMeetingMakeOneBot() throws Exception {
    ApiClient.CreatedUser user = fleet.user("same", 300);
    List<Integer> statuses = atOnce(200, i -> start(user, i, "standup").status());
    assertThat(counted(statuses)).isEqualTo(Map.of(201, 1L, 409, 199L));
    assertThat(fleet.count(LIVE, user.id())).isEqualTo(1);
    stopAll(user);
  }

  @Test
  void repeatedStartsAndStopsNeverExceedTheLimit() throws Exception {
    ApiClient.CreatedUser user = fleet.user("restless", 3);
    List<Integer> statuses =
        atOnce(
            60,
            i -> {
              ApiReply started = start(user, i, "restless-room-" + i % 7);
              if (started.status() == 201) {
                stop(user, i + 1, started.body().path("id").asLong());
              }
              return started.status();
            });
    assertThat(statuses).containsAnyOf(201).isSubsetOf(201, 409, 429);
    BotServerCluster.await("every place is free again", () -> fleet.count(LIVE, user.id()) == 0);
    assertThat(mostAtATime(user)).isBetween(1L, 3L);
  }

  /** The most bots that this user had at any place of the journal. */
  private static long mostAtATime(ApiClient.CreatedUser user) {
    return fleet.count(
        """
        select max(live) as n from (
          select sum(case
              when data ->> 'to' = 'reserved' then 1
              when data ->> 'from' in ('reserved', 'starting', 'active')
                and data ->> 'to' in ('stopping', 'completed', 'failed') then -1
              else 0 end) over (order by seq) as live
          from events where user_id = ? and type = 'meeting.status_changed') as journal
        """,
        user.id());
  }

  private static Map<Integer, Long> counted(List<Integer> statuses) {
    return statuses.stream()
        .collect(Collectors.groupingBy(status -> status, Collectors.counting()));
  }

  private static void stopAll(ApiClient.CreatedUser user) {
    List<Long> bots =
        fleet.database.read(
            tx ->
                tx.sql("select id from meetings where user_id = ?")
                    .with(user.id())
                    .list(resultRow -> resultRow.longAt("id")));
    bots.forEach(bot -> stop(user, 0, bot));
    BotServerCluster.await("every bot of the user ends", () -> fleet.count(LIVE, user.id()) == 0);
  }

  private static ApiReply start(ApiClient.CreatedUser user, int turn, String room) {
    return user.api()
        .at(fleet.url(turn))
        .post("/bots/start", Map.of("platform", "daily", "native_meeting_id", room));
  }

  private static void stop(ApiClient.CreatedUser user, int turn, long meeting) {
    ApiReply apiReply =
        user.api().at(fleet.url(turn)).post("/bots/stop", Map.of("meeting_id", meeting));
    assertThat(apiReply.status()).isEqualTo(202);
  }

  private static List<Integer> atOnce(int times, IntFunction<Integer> request) throws Exception {
    try (ExecutorService threads = Executors.newFixedThreadPool(60)) {
      List<Callable<Integer>> calls = new ArrayList<>();
      for (int i = 0; i < times; i++) {
        int number = i;
        calls.add(() -> request.apply(number));
      }
      List<Integer> statuses = new ArrayList<>();
      for (Future<Integer> answer : threads.invokeAll(calls)) {
        statuses.add(answer.get());
      }
      return statuses;
    }
  }
}
