package io.convoke.engine.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import tools.jackson.core.JacksonException;

class JsonTest {
  private enum Mood {
    VERY_GOOD
  }

  private record Person(
      String userName,
      Mood mood,
      Instant joinedAt,
      Optional<String> nickName,
      Optional<Long> age,
      List<Mood> moods,
      int visits) {}

  private static final Person ANN =
      new Person(
          "Ann",
          Mood.VERY_GOOD,
          Instant.parse("2026-01-02T03:04:05.6Z"),
          Optional.empty(),
          Optional.of(33L),
          List.of(Mood.VERY_GOOD),
          2);

  private static final String ANN_TEXT =
      """
      {"user_name":"Ann","mood":"very_good","joined_at":"2026-01-02T03:04:05.600Z",\
      "nick_name":null,"age":33,"moods":["very_good"],"visits":2}""";

  @Test
  void namesAreSnakeCaseEnumsLowerCaseTimesInMillisAndNothingIsNull() {
    assertThat(Json.write(ANN)).isEqualTo(ANN_TEXT);
    assertThat(new String(Json.bytes(ANN), StandardCharsets.UTF_8)).isEqualTo(ANN_TEXT);
    assertThat(Json.tree(ANN)).hasToString(ANN_TEXT);
  }

  @Test
  void whatIsWrittenIsReadBack() {
    assertThat(Json.read(ANN_TEXT, Person.class)).isEqualTo(ANN);
    assertThat(Json.read(ANN_TEXT.getBytes(StandardCharsets.UTF_8), Person.class)).isEqualTo(ANN);
    assertThat(Json.read(Json.read(ANN_TEXT), Person.class)).isEqualTo(ANN);
  }

  @Test
  void unknownFieldsAreIgnoredAndAbsentOptionalsAreEmpty() {
    Person read = Json.read("{\"user_name\":\"Bo\",\"unheard_of\":{\"a\":1}}", Person.class);
    assertThat(read.userName()).isEqualTo("Bo");
    assertThat(read.nickName()).isEmpty();
    assertThat(read.age()).isEmpty();
  }

  @Test
  void timesAreUtcAndCutToMillis() {
    assertThat(Json.time(Instant.parse("2026-12-31T23:59:59.999999Z")))
        .isEqualTo("2026-12-31T23:59:59.999Z");
    assertThat(Json.time(Instant.EPOCH)).isEqualTo("1970-01-01T00:00:00.000Z");
    record At(Instant at) {}
    assertThat(Json.read("{\"at\":\"2026-01-02T04:04:05+01:00\"}", At.class).at())
        .isEqualTo(Instant.parse("2026-01-02T03:04:05Z"));
  }

  @Test
  void mapsKeepTheirKeys() {
    assertThat(Json.write(Map.of("keptAsIs", Instant.EPOCH)))
        .isEqualTo("{\"keptAsIs\":\"1970-01-01T00:00:00.000Z\"}");
  }

  @Test
  void asciiReadsAsTheSame() {
    Map<String, String> names = Map.of("Jörg", "Größe 🤖 \"x\"");
    assertThat(Json.ascii(names)).matches("\\p{ASCII}+");
    assertThat(Json.read(Json.ascii(names))).isEqualTo(Json.tree(names));
  }

  @Test
  void malformedTextAndUnknownConstantsAreRefused() {
    for (String text : List.of("{", "[1,]", "{\"mood\":\"sad\"}", "{} {}")) {
      assertThatThrownBy(() -> Json.read(text, Person.class))
          .as(text)
          .isInstanceOf(JacksonException.class);
    }
  }
}
