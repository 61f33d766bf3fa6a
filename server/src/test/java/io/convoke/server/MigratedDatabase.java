package io.convoke.server;

import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.simulator.stores.LocalStores;
import java.net.URI;

/**
 * Databases with all migrations applied, one for each test that asks. They are copies of one that
 * was migrated once in this JVM: applying all migrations takes about ten times as long as a copy.
 */
public final class MigratedDatabase {
  private MigratedDatabase() {}

  /** The URL of a migrated database that no other test uses. */
  public static String url() {
    return LocalStores.forTests().freshDatabase(Template.NAME);
  }

  /** Migrated when the first test asks; it has no connections, as a template must not. */
  private static final class Template {
    private static final String NAME = migrated();

    private static String migrated() {
      String url = LocalStores.forTests().freshDatabase();
      try (Database database =
          Database.open(DatabaseUrl.parse(url), 4, "template", Migrations.SCHEMAS)) {
        int _ = Migrations.apply(database);
      }
      return URI.create(url).getPath().substring(1);
    }
  }
}
