package io.convoke.engine.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.engine.json.Json;
import io.convoke.simulator.stores.LocalStores;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class QueryTest {
  private static final Instant NOON = Instant.parse("2026-03-29T12:00:00.123456Z");
  private static Database database;

  @BeforeAll
  static void open() {
    database =
        Database.open(
            DatabaseUrl.parse(LocalStores.forTests().freshDatabase()),
            2,
            "test",
            List.of("public"));
  }

  @AfterAll
  static void close() {
    database.close();
  }

  static Stream<Arguments> values() {
    UUID uuid = UUID.fromString("01890a5d-ac96-774b-bcce-b302099a8057");
    return Stream.of(
        Arguments.of(Long.MAX_VALUE, "bigint", "9223372036854775807"),
        Arguments.of(-7, "int", "-7"),
        Arguments.of(0.1, "double precision", "0.1"),
        Arguments.of(true, "boolean", "true"),
        Arguments.of("it's ? a \\ \"text\" äß🙂", "text", "it's ? a \\ \"text\" äß🙂"),
        Arguments.of(new byte[] {0, -1, 'a'}, "bytea", "\\x00ff61"),
        Arguments.of(NOON, "timestamptz", "2026-03-29 12:00:00.123456+00"),
        Arguments.of(Duration.ofSeconds(90), "bigint", "90000"),
        Arguments.of(DayOfWeek.MONDAY, "text", "monday"),
        Arguments.of(Json.read("{\"a\":[1,null]}"), "jsonb", "{\"a\": [1, null]}"),
        Arguments.of(uuid, "uuid", uuid.toString()),
        Arguments.of(Optional.of("there"), "text", "there"),
        Arguments.of(new long[] {1, 2}, "bigint[]", "{1,2}"),
        Arguments.of(new Long[] {1L, null}, "bigint[]", "{1,NULL}"),
        Arguments.of(new Integer[] {null, 2}, "int[]", "{NULL,2}"),
        Arguments.of(new Double[] {1.5, null}, "double precision[]", "{1.5,NULL}"),
        Arguments.of(new Boolean[] {true, null}, "boolean[]", "{t,NULL}"),
        Arguments.of(
            new String[] {"a,b", null, "NULL", "\"", ""},
            "text[]",
            "{\"a,b\",NULL,\"NULL\",\"\\\"\",\"\"}"),
        Arguments.of(
            new Instant[] {NOON, null},
            "timestamptz[]",
            "{\"2026-03-29 12:00:00.123456+00\",NULL}"),
        Arguments.of(new long[0], "bigint[]", "{}"));
  }

  @ParameterizedTest
  @MethodSource("values")
  void everySupportedTypeArrivesAsMeant(Object value, String type, String text) {
    assertThat(asText(value, type)).contains(text);
  }

  @Test
  void nothingIsNullForEveryType() {
    for (String type : List.of("bigint", "text", "jsonb", "timestamptz", "bytea", "text[]")) {
      assertThat(asText(null, type)).as(type).isEmpty();
      assertThat(asText(Optional.empty(), type)).as(type).isEmpty();
    }
  }

  @Test
  void aRowIsReadByName() {
    String sql =
        """
        select 5::bigint as l, 6 as i, 2.5::float8 as d, true as b, 'x' as t, '\\x01'::bytea as y,
               '2026-03-29T12:00:00.123456Z'::timestamptz as at, '{"k":1}'::jsonb as j,
               array['p','q'] as ts, array[3,4]::bigint[] as ls, null::bigint as nothing
        """;
    record Read(long l, int i, double d, boolean b, String t, Instant at, Map<?, ?> j) {}
    Read read =
        database.read(
            tx ->
                tx.sql(sql)
                    .one(
                        resultRow -> {
                          assertThat(resultRow.bytes("y")).containsExactly(1);
                          assertThat(resultRow.texts("ts")).containsExactly("p", "q");
                          assertThat(resultRow.longs("ls")).containsExactly(3L, 4L);
                          assertThat(resultRow.maybeLong("nothing")).isEmpty();
                          assertThat(resultRow.maybeInt("i")).contains(6);
                          assertThat(resultRow.maybeText("t")).contains("x");
                          assertThat(resultRow.maybeInstant("at")).contains(NOON);
                          assertThatThrownBy(() -> resultRow.longAt("nothing"))
                              .hasMessage("column nothing is null");
                          return new Read(
                              resultRow.longAt("l"),
                              resultRow.intAt("i"),
                              resultRow.doubleAt("d"),
                              resultRow.booleanAt("b"),
                              resultRow.text("t"),
                              resultRow.instant("at"),
                              Json.read(resultRow.json("j"), Map.class));
                        }));
    assertThat(read).isEqualTo(new Read(5, 6, 2.5, true, "x", NOON, Map.of("k", 1)));
  }

  @Test
  void listFirstOneAndUpdateAnswerWhatTheyPromise() {
    record Counted(List<Integer> all, Optional<Integer> first, Optional<Integer> none, int rows) {}
    Counted counted =
        database.transaction(
            tx -> {
              tx.sql("create temporary table t (n int) on commit drop").update();
              int rows = tx.sql("insert into t select generate_series(1, 3)").update();
              String all = "select n from t where n >= ? order by n";
              return new Counted(
                  tx.sql(all).with(1).list(resultRow -> resultRow.intAt("n")),
                  tx.sql(all).with(2).first(resultRow -> resultRow.intAt("n")),
                  tx.sql(all).with(9).first(resultRow -> resultRow.intAt("n")),
                  rows);
            });
    assertThat(counted)
        .isEqualTo(new Counted(List.of(1, 2, 3), Optional.of(2), Optional.empty(), 3));
    assertThatThrownBy(
            () ->
                database.read(
                    tx -> tx.sql("select 1 as n where false").one(resultRow -> resultRow)))
        .isInstanceOf(IllegalStateException.class);
  }

  private static Optional<String> asText(@Nullable Object value, String type) {
    return database.read(
        tx ->
            tx.sql("select (?::" + type + ")::text as text")
                .with(value)
                .one(resultRow -> resultRow.maybeText("text")));
  }
}
