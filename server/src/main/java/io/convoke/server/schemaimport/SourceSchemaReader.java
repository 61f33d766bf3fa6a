package io.convoke.server.schemaimport;

import io.convoke.engine.sql.Tx;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Reads the source schema: its tables, and whether its rows can be imported. */
final class SourceSchemaReader {
  private final String schema;

  SourceSchemaReader(String schema) {
    this.schema = schema;
  }

  /** A table of it, quoted. */
  String table(String name) {
    return "\"" + schema.replace("\"", "\"\"") + "\"." + name;
  }

  boolean exists(Tx tx) {
    return tx.sql("select true as there from information_schema.schemata where schema_name = ?")
        .with(schema)
        .first(resultRow -> resultRow.booleanAt("there"))
        .isPresent();
  }

  SourceSchema shape(Tx tx) {
    Map<String, String> types = new HashMap<>();
    tx.sql(
            """
            select table_name || '.' || column_name as name, data_type
            from information_schema.columns where table_schema = ? and table_name = any(?)
            """)
        .with(schema, SourceSchema.TABLES.toArray(String[]::new))
        .list(resultRow -> Map.entry(resultRow.text("name"), resultRow.text("data_type")))
        .forEach(entry -> types.put(entry.getKey(), entry.getValue()));
    return new SourceSchema(types);
  }

  /** Locks it against writes until the transaction ends. */
  void lockTables(Tx tx) {
    for (String name : SourceSchema.TABLES) {
      int _ = tx.sql("lock table " + table(name) + " in share mode").update();
    }
  }

  /** Rows that cannot be imported, one line for each kind. */
  List<String> faults(Tx tx) {
    List<String> faults = new ArrayList<>();
    rows(
        tx,
        faults,
        """
        select status::text as what, count(*) as n from meetings
        where status is null or status::text not in ('requested', 'reserved', 'starting', 'active',
          'stopping', 'completed', 'failed', 'error', 'joining', 'awaiting_admission',
          'needs_human_help', 'needs_help')
        group by 1 order by 1
        """,
        "meetings.status is %s in %d rows; no such status exists");
    rows(
        tx,
        faults,
        """
        select lower(email::text) as what, count(*) as n from users
        where email is not null group by 1 having count(*) > 1 order by 1
        """,
        "users.email is %s in %d rows; an email belongs to one user, whatever its case");
    rows(
        tx,
        faults,
        """
        select session_uid::text as what, count(*) as n from meeting_sessions
        group by 1 having session_uid::text is null or count(*) > 1 order by 1
        """,
        "meeting_sessions.session_uid is %s in %d rows; a session has one of its own");
    orphans(tx, faults, "meetings", "user_id", "users");
    orphans(tx, faults, "meeting_sessions", "meeting_id", "meetings");
    orphans(tx, faults, "transcriptions", "meeting_id", "meetings");
    rows(
        tx,
        faults,
        """
        select 'unset' as what, count(*) as n from transcriptions
        where start_time is null or end_time is null or text is null having count(*) > 0
        """,
        "a start, an end or a text of transcriptions is %s in %d rows");
    return faults;
  }

  private void orphans(Tx tx, List<String> faults, String from, String column, String to) {
    rows(
        tx,
        faults,
        "select min(f.id)::text as what, count(*) as n from "
            + from
            + " f where not exists (select from "
            + to
            + " t where t.id = f."
            + column
            + ") having count(*) > 0",
        from + " %s and others, %d in all, name a row of " + to + " that is not there");
  }

  private void rows(Tx tx, List<String> faults, String sql, String line) {
    faults.addAll(
        tx.sql(qualified(sql))
            .list(
                resultRow ->
                    line.formatted(
                        resultRow.maybeText("what").map(SourceSchemaReader::quoted).orElse("unset"),
                        resultRow.longAt("n"))));
  }

  private static String quoted(String text) {
    return "'" + text + "'";
  }

  /** The statement with the tables that it reads from put into their schema. */
  private String qualified(String sql) {
    String qualified = sql;
    for (String name : SourceSchema.TABLES) {
      qualified =
          qualified.replaceAll(
              "from " + name + "\\b",
              "from " + java.util.regex.Matcher.quoteReplacement(table(name)));
    }
    return qualified;
  }
}
