package io.convoke.server.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.dispatch.Task;
import io.convoke.engine.dispatch.TaskListQueries;
import io.convoke.engine.dispatch.TaskState;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.server.MigratedDatabase;
import io.convoke.server.Migrations;
import io.convoke.server.TableReads;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What a list of open tasks reads where many have ended. */
class OpenTaskListTest {
  @Test
  void endedTasksAreNotReadForAListOfOpenOnes() {
    try (Database database =
        Database.open(DatabaseUrl.parse(MigratedDatabase.url()), 1, "test", Migrations.SCHEMAS)) {
      database.run(
          tx -> {
            int _ =
                tx.sql(
                        """
                        insert into tasks (id, request_id, state, channel, spec, user_id,
                          created_at, completed_at)
                        select n::text, n::text,
                          case when n in (7, 8) then 'PENDING' else 'SUCCESS' end, 'room',
                          jsonb_build_object('id', n::text), 1 + n % 2,
                          now() - n * interval '1 second', case when n not in (7, 8) then now() end
                        from generate_series(1, 20000) n
                        """)
                    .update();
            int _ = tx.sql("analyze tasks").update();
          });
      TaskListQueries lists = new TaskListQueries(database);
      long read =
          TableReads.of(
              database,
              "tasks",
              () -> {
                assertThat(lists.list(pending(Optional.empty())))
                    .extracting(Task::id)
                    .containsExactly("7", "8");
                assertThat(lists.list(pending(Optional.of(1L))))
                    .extracting(Task::id)
                    .containsExactly("8");
              });
      assertThat(read).isLessThan(20);
    }
  }

  private static TaskListQueries.TaskFilter pending(Optional<Long> userId) {
    return new TaskListQueries.TaskFilter(
        userId,
        Optional.of(TaskState.PENDING),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        50);
  }
}
