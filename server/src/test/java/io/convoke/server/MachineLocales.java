package io.convoke.server;

import io.convoke.simulator.stores.LocalStores;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Assumptions;

/** The locales of this machine, as Postgres found them when its data folder was made. */
public final class MachineLocales {
  private MachineLocales() {}

  /**
   * Skips a test that needs letters beyond ASCII where no locale has them. The locale that the
   * stores of tests have in fact does not matter: one with ASCII alone is then a failure.
   */
  public static void assumeLettersBeyondAscii() throws SQLException {
    try (Connection connection = LocalStores.forTests().postgres().connect("postgres");
        Statement statement = connection.createStatement();
        ResultSet locales =
            statement.executeQuery(
                """
                select 1 from pg_collation
                where collprovider = 'c' and collname::text ~* '^(C|en_US)\\.utf-?8$'
                """)) {
      Assumptions.assumeTrue(
          locales.next(), "this machine has neither the locale C.UTF-8 nor en_US.UTF-8");
    }
  }
}
