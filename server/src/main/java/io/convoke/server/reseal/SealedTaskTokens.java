package io.convoke.server.reseal;

import io.convoke.engine.crypto.AccessTokenSealer;
import io.convoke.engine.crypto.SecretBox;
import io.convoke.engine.sql.Query;
import io.convoke.engine.sql.ResultRow;
import io.convoke.engine.sql.Tx;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The access tokens of tasks that have ended, which a requeue uses again. Those of open tasks are
 * in Redis too, where nothing rewrites them: they keep their seals until they end.
 */
final class SealedTaskTokens implements SealedRows {
  private static final String SEALED = "spec::text like '%\"sealed:%'";

  private static final int PAGE = 1000;

  private final AccessTokenSealer all;
  private final AccessTokenSealer newest;

  SealedTaskTokens(SecretBox secrets) {
    this.all = new AccessTokenSealer(secrets);
    this.newest = new AccessTokenSealer(secrets.newest());
  }

  private record TaskRow(String id, ObjectNode spec) {
    static TaskRow of(ResultRow row) {
      return new TaskRow(row.text("id"), (ObjectNode) row.json("spec"));
    }
  }

  @Override
  public String label() {
    return "access tokens of ended tasks";
  }

  @Override
  public ResealedBatch reseal(Tx tx, Optional<List<String>> after, int limit) {
    String from = after.map(List::getFirst).orElse("");
    Optional<String> end =
        tx.sql("select id from tasks where id > ? order by id offset ? limit 1")
            .with(from, READ_MAX - 1)
            .first(row -> row.text("id"));
    List<Object> parameters = new ArrayList<>(List.of(from));
    end.ifPresent(parameters::add);
    parameters.add(limit);
    List<TaskRow> rows =
        tx.sql(
                "select id, spec from tasks where completed_at is not null and "
                    + SEALED
                    + " and id > ?"
                    + (end.isEmpty() ? "" : " and id <= ?")
                    + " order by id limit ?")
            .with(parameters.toArray())
            .list(TaskRow::of);
    List<Query> updates = new ArrayList<>();
    int unreadable = 0;
    for (TaskRow row : rows) {
      if (newest.sealsLike(row.spec())) {
        continue;
      }
      try {
        JsonNode again = newest.seal(all.open(row.spec()));
        updates.add(
            tx.sql("update tasks set spec = ? where id = ? and spec = ? returning 1")
                .with(again, row.id(), row.spec()));
      } catch (SecretBox.UnsealFailure _) {
        unreadable++;
      }
    }
    return new ResealedBatch(
        SealedRows.changed(tx, updates),
        unreadable,
        rows.size() < limit ? end.map(List::of) : Optional.of(List.of(rows.getLast().id())));
  }

  /** How many open tasks have a token that the newest key does not open. */
  long openWithOlderKeys(Tx tx) {
    long older = 0;
    String after = "";
    List<TaskRow> rows;
    do {
      rows =
          tx.sql(
                  "select id, spec from tasks where completed_at is null and "
                      + SEALED
                      + " and id > ? order by id limit ?")
              .with(after, PAGE)
              .list(TaskRow::of);
      older += rows.stream().filter(row -> !opens(row.spec())).count();
      after = rows.isEmpty() ? after : rows.getLast().id();
    } while (rows.size() == PAGE);
    return older;
  }

  private boolean opens(ObjectNode spec) {
    try {
      ObjectNode _ = newest.open(spec);
      return true;
    } catch (SecretBox.UnsealFailure _) {
      return false;
    }
  }
}
