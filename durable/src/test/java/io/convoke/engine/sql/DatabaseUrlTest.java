package io.convoke.engine.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
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
        "postgresql://:p@db/c | jdbc:postgresql://db/c | '' | p",
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

  @Test
  void onlyAUrlThatSaysSoWantsAPrimary() {
    assertThat(DatabaseUrl.parse("postgresql://a,b/c").wantsPrimary()).isTrue();
    assertThat(DatabaseUrl.parse("postgresql://db/c").wantsPrimary()).isFalse();
  }

  @Test
  void aPoolerOfTransactionsHasNoSession() {
    DatabaseUrl url = DatabaseUrl.parse("postgresql://u:s3cret@db/c?pool_mode=transaction");
    assertThatThrownBy(() -> url.connect("test", Map.of(), Map.of()))
        .isInstanceOf(SQLException.class)
        .hasMessage("a session is needed, and jdbc:postgresql://db/c as u pools transactions");
  }

  @Test
  void aSessionIsGivenOutWithItsSettingsOrClosed() throws SQLException {
    RefusingDriver driver = new RefusingDriver();
    DriverManager.registerDriver(driver);
    try {
      DatabaseUrl url = new DatabaseUrl(RefusingDriver.URL, "u", "p");
      Connection _ = url.connect("test", Map.of("socketTimeout", "7"), Map.of());
      assertThat(driver.properties)
          .containsEntry("user", "u")
          .containsEntry("password", "p")
          .containsEntry("ApplicationName", "test")
          .containsEntry("socketTimeout", "7");
      assertThat(driver.calls).as("without settings").isEmpty();
      assertThatThrownBy(() -> url.connect("test", Map.of(), Map.of("no_such_setting", "1")))
          .hasMessage("no such setting");
      assertThat(driver.calls).containsExactly("prepareStatement", "close");
    } finally {
      DriverManager.deregisterDriver(driver);
    }
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

  /** Its connections refuse every statement. */
  private static final class RefusingDriver implements Driver {
    private static final String URL = "jdbc:refusing:db";

    private final Properties properties = new Properties();
    private final List<String> calls = new ArrayList<>();

    @Override
    public @Nullable Connection connect(String url, Properties info) {
      if (!acceptsURL(url)) {
        return null;
      }
      properties.putAll(info);
      return (Connection)
          Proxy.newProxyInstance(
              DatabaseUrlTest.class.getClassLoader(),
              new Class<?>[] {Connection.class},
              (_, method, _) -> {
                boolean _ = calls.add(method.getName());
                if (method.getName().equals("prepareStatement")) {
                  throw new SQLException("no such setting");
                }
                return null;
              });
    }

    @Override
    public boolean acceptsURL(String url) {
      return url.equals(URL);
    }

    @Override
    public DriverPropertyInfo[] getPropertyInfo(String url, Properties info) {
      return new DriverPropertyInfo[0];
    }

    @Override
    public int getMajorVersion() {
      return 1;
    }

    @Override
    public int getMinorVersion() {
      return 0;
    }

    @Override
    public boolean jdbcCompliant() {
      return false;
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
      throw new SQLFeatureNotSupportedException();
    }
  }
}
