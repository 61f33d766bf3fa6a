package io.convoke.server.quota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.engine.sql.Database;
import io.convoke.server.http.Problem;
import io.convoke.server.http.QuotaName;
import io.convoke.server.http.TestDatabase;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** How often rows are counted. */
class UserQuotasTest {
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
