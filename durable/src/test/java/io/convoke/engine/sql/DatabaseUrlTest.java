package io.convoke.engine.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DatabaseUrlTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "postgresql://u:p@db:5433/convoke | jdbc:postgresql://db:5433/convoke | u | p",
        "postgres://u:p%40%2F+@db/c?sslmode=require | jdbc:postgresql://db/c?sslmode=require | u |"
            + " p@/+",
        "postgresql://u@[::1]:5432/c | jdbc:postgresql://[::1]:5432/c | u | ''",
        "postgresql://u:p@a:1,b:2/c?targetServerType=primary |"
            + " jdbc:postgresql://a:1,b:2/c?targetServerType=primary | u | p",
        "postgresql://u:p@a,b/c | jdbc:postgresql://a,b/c?targetServerType=primary | u | p",
        "postgresql://u:p@a,b/c?sslmode=require |"
            + " jdbc:postgresql://a,b/c?sslmode=require&targetServerType=primary | u | p",
        "postgresql://u:p@a,b/c?target_session_attrs=any |"
            + " jdbc:postgresql://a,b/c?targetServerType=any | u | p",
        "postgresql://u:p@db/c?target_session_attrs=read-write |"
            + " jdbc:postgresql://db/c?targetServerType=primary | u | p",
        "postgresql://db/c | jdbc:postgresql://db/c | '' | ''",
      })
  void anOperatorsUrlIsRead(String url, String jdbc, String user, String password) {
    assertThat(DatabaseUrl.parse(url)).isEqualTo(new DatabaseUrl(jdbc, user, password));
  }

  @Test
  void theModeOfAPoolerIsNoOptionOfTheDriver() {
    assertThat(DatabaseUrl.parse("postgresql://u:p@db/c?pool_mode=transaction&sslmode=require"))
        .isEqualTo(new DatabaseUrl("jdbc:postgresql://db/c?sslmode=require", "u", "p", true));
    assertThat(DatabaseUrl.parse("postgresql://u:p@db/c?pool_mode=session"))
        .isEqualTo(new DatabaseUrl("jdbc:postgresql://db/c", "u", "p", false));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "mysql://u:s3cret@db/c",
        "postgresql://u:s3cret@db",
        "postgresql://u:s3cret@db/",
        "postgresql:u:s3cret",
        "postgresql://u:s3cret@d b/c",
        "postgresql://u@db/c?password=s3cret",
        "postgresql://u:s3cret@db/c?target_session_attrs=all",
        "postgresql://u:s3cret@db/c?pool_mode=statement",
      })
  void aUrlThatIsNoneIsRefusedWithoutRepeatingTheSecret(String url) {
    assertThatThrownBy(() -> DatabaseUrl.parse(url))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageNotContaining("s3cret");
  }

  @Test
  void theTextHoldsNoPassword() {
    assertThat(DatabaseUrl.parse("postgresql://u:s3cret@db/c").toString())
        .isEqualTo("jdbc:postgresql://db/c as u");
  }
}
