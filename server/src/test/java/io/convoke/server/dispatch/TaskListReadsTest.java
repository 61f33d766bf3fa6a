package io.convoke.server.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.dispatch.Task;
import io.convoke.engine.dispatch.TaskListQueries;
import io.convoke.engine.dispatch.TaskListQueries.TaskFilter;
import io.convoke.engine.dispatch.TaskState;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.server.MigratedDatabase;
import io.convoke.server.Migrations;
import io.convoke.server.TableReads;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What lists of few tasks read where there are many. */
class TaskListReadsTest {
  private final Database database =
      Database.open(DatabaseUrl.parse(MigratedDatabase.url()), 1, "test", Migrations.SCHEMAS);

  private final TaskListQueries lists = new TaskListQueries(database);

  @BeforeEach
  void fill() {
    database.run(
        tx -> {
          int _ =
              tx.sql(
                      """
                      insert into tasks (id, request_id, state, channel, spec, user_id,
                        created_at, completed_at)
                      select n::text, n::text,
                        case when n in (7, 8) then 'PENDING' else 'SUCCESS' end, 'room',
                        jsonb_build_object('id', n::text,
                          'type', case when n in (19001, 19002) then 'snapshot' else 'egress' end),
                        1 + n % 2, now() - n * interval '1 second',
                        case when n not in (7, 8) then now() end
                      from generate_series(1, 20000) n
                      """)
                  .update();
          int _ = tx.sql("analyze tasks").update();
        });
  }

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void endedTasksAreNotReadForAListOfOpenOnes() {
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

  @Test
  void tasksOfOtherTypesAreNotReadForAListOfARareOne() {
    long read =
        TableReads.of(
            database,
            "tasks",
            () -> {
              assertThat(lists.list(snapshots(Optional.empty())))
                  .extracting(Task::id)
                  .containsExactly("19001", "19002");
              assertThat(lists.list(snapshots(Optional.of(1L))))
                  .extracting(Task::id)
                  .containsExactly("19002");
            });
    assertThat(read).isLessThan(20);
  }

  private static TaskFilter pending(Optional<Long> userId) {
    return new TaskFilter(
        userId,
        Optional.of(TaskState.PENDING),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        50);
  }

  private static TaskFilter snapshots(Optional<Long> userId) {
    return new TaskFilter(
        userId,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.of("snapshot"),
        Optional.empty(),
        50);
  }
}
