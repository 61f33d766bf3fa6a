package io.convoke.server.reseal;

import io.convoke.engine.crypto.SecretBox;
import io.convoke.engine.sql.Query;
import io.convoke.engine.sql.ResultRow;
import io.convoke.engine.sql.Tx;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * One sealed value in each row of a table.
 *
 * @param key the columns of the primary key, in whose order the rows are read
 * @param sealed expression of the sealed value as base64; null where there is none
 * @param assignment sets it to the base64 of one parameter
 * @param urlSafe which base64
 */
record SealedColumn(
    SecretBox secrets,
    String label,
    String purpose,
    String table,
    List<KeyColumn> key,
    String sealed,
    String assignment,
    boolean urlSafe)
    implements SealedRows {
  /** Characters of base64 that the first five bytes alone decide: those before the nonce. */
  private static final int HEAD = 6;

  /** A column and its type. */
  record KeyColumn(String name, String type) {
    String text() {
      return name + "::text";
    }

    String parameter() {
      return "?::" + type;
    }
  }

  private record SealedRow(List<String> key, String sealed) {
    static SealedRow of(ResultRow row) {
      return new SealedRow(row.texts("key"), row.text("sealed"));
    }
  }

  @Override
  public ResealedBatch reseal(Tx tx, Optional<List<String>> after, int limit) {
    Optional<List<String>> end = end(tx, after);
    List<SealedRow> rows = next(tx, after, end, limit);
    List<Query> updates =
        rows.stream()
            .flatMap(row -> again(row.sealed()).map(again -> replace(tx, row, again)).stream())
            .toList();
    return new ResealedBatch(
        SealedRows.changed(tx, updates),
        rows.size() - updates.size(),
        rows.size() < limit ? end : Optional.of(rows.getLast().key()));
  }

  /** The key of the last row to read; empty if the rest is less. */
  private Optional<List<String>> end(Tx tx, Optional<List<String>> after) {
    List<Object> parameters = new ArrayList<>();
    after.ifPresent(parameters::addAll);
    parameters.add(READ_MAX - 1);
    return tx.sql(
            "select array[%s] as key from %s%s order by %s offset ? limit 1"
                .formatted(
                    joined(KeyColumn::text),
                    table,
                    after.isEmpty() ? "" : " where " + keyIs(">"),
                    joined(KeyColumn::name)))
        .with(parameters.toArray())
        .first(row -> row.texts("key"));
  }

  /** The next rows whose value begins unlike those of the newest key. */
  private List<SealedRow> next(
      Tx tx, Optional<List<String>> after, Optional<List<String>> end, int limit) {
    List<Object> parameters = new ArrayList<>(List.of(head()));
    after.ifPresent(parameters::addAll);
    end.ifPresent(parameters::addAll);
    parameters.add(limit);
    return tx.sql(
            ("select array[%s] as key, %s as sealed from %s where left(%s, %d) <> ?"
                    + "%s%s order by %s limit ?")
                .formatted(
                    joined(KeyColumn::text),
                    sealed,
                    table,
                    sealed,
                    HEAD,
                    after.isEmpty() ? "" : " and " + keyIs(">"),
                    end.isEmpty() ? "" : " and " + keyIs("<="),
                    joined(KeyColumn::name)))
        .with(parameters.toArray())
        .list(SealedRow::of);
  }

  private Query replace(Tx tx, SealedRow row, String again) {
    List<Object> parameters = new ArrayList<>(List.of(again));
    parameters.addAll(row.key());
    parameters.add(row.sealed());
    return tx.sql(
            "update %s set %s where %s and %s = ? returning 1"
                .formatted(table, assignment, keyIs("="), sealed))
        .with(parameters.toArray());
  }

  private String keyIs(String operator) {
    return "("
        + joined(KeyColumn::name)
        + ") "
        + operator
        + " ("
        + joined(KeyColumn::parameter)
        + ")";
  }

  private String joined(Function<KeyColumn, String> part) {
    return key.stream().map(part).collect(Collectors.joining(", "));
  }

  private String head() {
    return encoder().encodeToString(secrets.head()).substring(0, HEAD);
  }

  private Optional<String> again(String text) {
    // Postgres breaks the lines of base64.
    byte[] bytes =
        urlSafe ? Base64.getUrlDecoder().decode(text) : Base64.getMimeDecoder().decode(text);
    try {
      byte[] plain = secrets.open(purpose, bytes);
      return Optional.of(encoder().encodeToString(secrets.newest().seal(purpose, plain)));
    } catch (SecretBox.UnsealFailure _) {
      return Optional.empty();
    }
  }

  private Base64.Encoder encoder() {
    return urlSafe ? Base64.getUrlEncoder().withoutPadding() : Base64.getEncoder();
  }
}
