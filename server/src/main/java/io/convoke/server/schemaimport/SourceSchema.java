package io.convoke.server.schemaimport;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The expected tables of the source schema (docs/migrate.md), and the conversion of each compatible
 * column type. Pure: column types in, faults and expressions out. Other tables and columns are
 * ignored.
 *
 * @param types the data type of each column that the schema has, by {@code table.column}
 */
record SourceSchema(Map<String, String> types) {
  static final List<String> TABLES =
      List.of("users", "meetings", "meeting_sessions", "transcriptions");

  private static final String WITHOUT_ZONE = "timestamp without time zone";

  /** Types that can be read without losing anything. */
  private enum SourceColumnType {
    NUMBER,
    WORDS,
    FRACTION,
    TIME,
    TREE;

    boolean reads(String type) {
      return switch (this) {
        case NUMBER -> Set.of("smallint", "integer", "bigint").contains(type);
        case WORDS ->
            Set.of("text", "character varying", "character", "uuid", "USER-DEFINED").contains(type);
        case FRACTION ->
            Set.of("real", "double precision", "numeric", "integer", "bigint").contains(type);
        case TIME -> Set.of("timestamp with time zone", WITHOUT_ZONE).contains(type);
        case TREE -> Set.of("json", "jsonb").contains(type);
      };
    }
  }

  private static final Map<String, SourceColumnType> COLUMNS = columns();

  private static Map<String, SourceColumnType> columns() {
    Map<String, SourceColumnType> columns = new LinkedHashMap<>();
    put(columns, "users", SourceColumnType.NUMBER, "id", "max_concurrent_bots");
    put(columns, "users", SourceColumnType.WORDS, "email", "name", "image_url");
    put(columns, "users", SourceColumnType.TIME, "created_at");
    put(columns, "users", SourceColumnType.TREE, "data");
    put(columns, "meetings", SourceColumnType.NUMBER, "id", "user_id");
    put(
        columns,
        "meetings",
        SourceColumnType.WORDS,
        "platform",
        "platform_specific_id",
        "status",
        "bot_container_id");
    put(
        columns,
        "meetings",
        SourceColumnType.TIME,
        "start_time",
        "end_time",
        "created_at",
        "updated_at");
    put(columns, "meetings", SourceColumnType.TREE, "data");
    put(columns, "meeting_sessions", SourceColumnType.NUMBER, "id", "meeting_id");
    put(columns, "meeting_sessions", SourceColumnType.WORDS, "session_uid");
    put(columns, "meeting_sessions", SourceColumnType.TIME, "session_start_time");
    put(columns, "transcriptions", SourceColumnType.NUMBER, "id", "meeting_id");
    put(columns, "transcriptions", SourceColumnType.FRACTION, "start_time", "end_time");
    put(
        columns,
        "transcriptions",
        SourceColumnType.WORDS,
        "text",
        "speaker",
        "language",
        "session_uid");
    put(columns, "transcriptions", SourceColumnType.TIME, "created_at");
    return columns;
  }

  private static void put(
      Map<String, SourceColumnType> columns,
      String table,
      SourceColumnType sourceColumnType,
      String... names) {
    for (String name : names) {
      columns.put(table + "." + name, sourceColumnType);
    }
  }

  /** The faults, one line each. */
  List<String> faults() {
    List<String> faults = new ArrayList<>();
    for (String table : TABLES) {
      if (types.keySet().stream().noneMatch(column -> column.startsWith(table + "."))) {
        faults.add("there is no table " + table);
        continue;
      }
      COLUMNS.forEach(
          (column, sourceColumnType) -> {
            String type = types.get(column);
            if (!column.startsWith(table + ".")) {
              return;
            }
            if (type == null) {
              faults.add("column " + column + " is missing");
            } else if (!sourceColumnType.reads(type)) {
              faults.add("column " + column + " is of type " + type);
            }
          });
    }
    return faults;
  }

  /** A column of the source as an expression of our type; a time without zone is UTC. */
  String read(String table, String column) {
    SourceColumnType sourceColumnType =
        COLUMNS.getOrDefault(table + "." + column, SourceColumnType.WORDS);
    return switch (sourceColumnType) {
      case NUMBER -> "s." + column + "::bigint";
      case WORDS -> "s." + column + "::text";
      case FRACTION -> "s." + column + "::float8";
      case TIME ->
          WITHOUT_ZONE.equals(types.get(table + "." + column))
              ? "(s." + column + " at time zone 'UTC')"
              : "s." + column;
      case TREE -> tree("s." + column + "::jsonb");
    };
  }

  /** The target column holds objects; other values are wrapped in one. */
  private static String tree(String value) {
    return ("case when %1$s is null or %1$s = 'null' then '{}'"
            + " when jsonb_typeof(%1$s) = 'object' then %1$s"
            + " else jsonb_build_object('adopted', %1$s) end")
        .formatted(value);
  }
}
