package io.convoke.server.quota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.engine.sql.Tx;
import io.convoke.server.MigratedDatabase;
import io.convoke.server.Migrations;
import io.convoke.server.http.Problem;
import io.convoke.server.http.QuotaName;
import io.convoke.server.http.TestDatabase;
import io.convoke.server.launch.Await;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** How often rows are counted. */
class UserQuotasTest {
  private static final int REQUESTS = 8;

  private final AtomicLong nanos = new AtomicLong();

  @Test
  void aCountIsUsedForASecondAndByAQuarterOfWhatIsLeft() {
    try (Database database = TestDatabase.fresh()) {
      UserQuotas quotas =
          new UserQuotas(new QuotaConfig(Map.of(QuotaName.TASKS, 41L)), database, nanos::get);
      for (int i = 0; i < 11; i++) {
        quotas.permitOneMore(QuotaName.TASKS, 7, 0);
      }
      assertThat(database.turns()).isEqualTo(1);
      quotas.permitOneMore(QuotaName.TASKS, 7, 0);
      assertThat(database.turns()).isEqualTo(2);
      quotas.permitOneMore(QuotaName.TASKS, 8, 0);
      assertThat(database.turns()).isEqualTo(3);
      nanos.set(Duration.ofSeconds(1).toNanos());
      quotas.permitOneMore(QuotaName.TASKS, 7, 0);
      assertThat(database.turns()).isEqualTo(4);
    }
  }

  @Test
  void severalAreCountedAsOftenAndPermittedTogetherOrNotAtAll() {
    try (Database database = TestDatabase.fresh()) {
      UserQuotas quotas =
          new UserQuotas(new QuotaConfig(Map.of(QuotaName.TASKS, 41L)), database, nanos::get);
      assertThatThrownBy(() -> quotas.permitMore(QuotaName.TASKS, 42, 7, 0))
          .isInstanceOfSatisfying(
              Problem.class, problem -> assertThat(problem.code()).isEqualTo("quota_exceeded"));
      quotas.permitMore(QuotaName.TASKS, 0, 7, 0);
      assertThat(database.turns()).isEqualTo(1);
      // 30 are left after these; a quarter of them is seven.
      quotas.permitMore(QuotaName.TASKS, 11, 7, 0);
      quotas.permitMore(QuotaName.TASKS, 7, 7, 0);
      assertThat(database.turns()).isEqualTo(2);
      quotas.permitMore(QuotaName.TASKS, 41, 7, 0);
      assertThat(database.turns()).isEqualTo(3);
    }
  }

  @Test
  void requestsAtTheSameTimeShareACount() throws Exception {
    Queue<String> outcomes = atTheSameTime("select 1");
    assertThat(outcomes).hasSize(REQUESTS).containsOnly("permitted");
  }

  @Test
  void aCountThatFailsFailsForAllThatWaitForIt() throws Exception {
    Queue<String> outcomes = atTheSameTime("alter table recordings rename to elsewhere");
    assertThat(outcomes).hasSize(REQUESTS).containsOnly("SqlFailure");
  }

  /** Requests of a user, all while the first one counts; then the change is made. */
  private Queue<String> atTheSameTime(String change) throws Exception {
    DatabaseUrl url = DatabaseUrl.parse(MigratedDatabase.url());
    Queue<String> outcomes = new ConcurrentLinkedQueue<>();
    try (Database holder = Database.open(url, 1, "holder", Migrations.SCHEMAS);
        Database database = Database.open(url, REQUESTS, "test", Migrations.SCHEMAS)) {
      UserQuotas quotas =
          new UserQuotas(
              new QuotaConfig(Map.of(QuotaName.STORED_BYTES, 41L)), database, nanos::get);
      List<Thread> requests =
          IntStream.range(0, REQUESTS)
              .mapToObj(_ -> Thread.ofPlatform().unstarted(() -> outcomes.add(outcome(quotas))))
              .toList();
      holder.run(
          tx -> {
            int _ = tx.sql("lock table recordings in access exclusive mode").update();
            requests.getFirst().start();
            Await.until("the first count", () -> waits(tx));
            requests.stream().skip(1).forEach(Thread::start);
            Await.until(
                "the other requests",
                () -> database.turns() > 1 || waiting(requests) == REQUESTS - 1);
            tx.run(List.of(tx.sql(change)));
          });
      for (Thread request : requests) {
        request.join();
      }
      assertThat(database.turns()).as("counts").isEqualTo(1);
    }
    return outcomes;
  }

  /** A count does not see what is deleted while it runs; here a view keeps one running. */
  @Test
  void whatAUserDeletedBeforeARequestDoesNotRefuseIt() throws Exception {
    DatabaseUrl url = DatabaseUrl.parse(MigratedDatabase.url());
    Queue<String> outcomes = new ConcurrentLinkedQueue<>();
    try (Database holder = Database.open(url, 1, "holder", Migrations.SCHEMAS);
        Database database = Database.open(url, 2, "test", Migrations.SCHEMAS)) {
      for (String statement :
          List.of(
              "alter table egresses rename to elsewhere",
              "create table held (user_id bigint, bytes bigint, deleted_at timestamptz)",
              "insert into held values (7, 41)",
              "create view egresses as select held.* from held, pg_advisory_xact_lock_shared(1)")) {
        change(holder, statement);
      }
      UserQuotas quotas =
          new UserQuotas(
              new QuotaConfig(Map.of(QuotaName.STORED_BYTES, 41L)), database, nanos::get);
      Thread before = Thread.ofPlatform().unstarted(() -> outcomes.add(outcome(quotas)));
      Thread after = Thread.ofPlatform().unstarted(() -> outcomes.add(outcome(quotas)));
      holder.run(
          tx -> {
            tx.run(List.of(tx.sql("select pg_advisory_xact_lock(1)")));
            before.start();
            Await.until("the count", () -> waits(tx));
            change(database, "delete from held");
            long counts = database.turns();
            after.start();
            Await.until(
                "the other request",
                () -> database.turns() > counts || waiting(List.of(after)) == 1);
          });
      before.join();
      after.join();
    }
    assertThat(outcomes).containsExactlyInAnyOrder("Problem", "permitted");
  }

  private static void change(Database database, String statement) {
    database.run(
        tx -> {
          int _ = tx.sql(statement).update();
        });
  }

  private static String outcome(UserQuotas quotas) {
    try {
      quotas.permitOneMore(QuotaName.STORED_BYTES, 7, 0);
      return "permitted";
    } catch (RuntimeException e) {
      return e.getClass().getSimpleName();
    }
  }

  private static boolean waits(Tx tx) {
    return tx.sql(
            """
            select exists (
              select from pg_locks where not granted
                and database = (select oid from pg_database where datname = current_database()))
              as it
            """)
        .one(resultRow -> resultRow.booleanAt("it"));
  }

  private static long waiting(List<Thread> requests) {
    return requests.stream().filter(request -> request.getState() == Thread.State.WAITING).count();
  }

  @Test
  void withoutALimitNothingIsCounted() {
    try (Database database = TestDatabase.fresh()) {
      UserQuotas quotas =
          new UserQuotas(new QuotaConfig(Map.of(QuotaName.TASKS, 0L)), database, nanos::get);
      quotas.permitOneMore(QuotaName.TASKS, 7, 0);
      quotas.permitOneMore(QuotaName.MEETINGS, 7, 0);
      assertThat(database.turns()).isZero();
    }
  }

  @Test
  void streamsAreCountedEachTime() {
    try (Database database = TestDatabase.fresh()) {
      UserQuotas quotas =
          new UserQuotas(new QuotaConfig(Map.of(QuotaName.STREAMS, 100L)), database, nanos::get);
      quotas.permitOneMore(QuotaName.STREAMS, 7, 99);
      assertThatThrownBy(() -> quotas.permitOneMore(QuotaName.STREAMS, 7, 100))
          .isInstanceOfSatisfying(
              Problem.class, problem -> assertThat(problem.code()).isEqualTo("quota_exceeded"));
    }
  }
}
