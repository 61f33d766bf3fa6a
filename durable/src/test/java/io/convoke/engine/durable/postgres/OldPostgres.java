package io.convoke.engine.durable.postgres;

import io.convoke.simulator.stores.EmbeddedPostgres;
import io.convoke.simulator.stores.LocalStores;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * PostgreSQL 15, one for all tests of this process. The build copies its binaries into the module's
 * {@code target}; who runs the tests in another way does so once with {@code mvn
 * process-test-resources -pl engine -am}.
 */
final class OldPostgres {
  static final String VERSION = "15.";

  private static final Path BINARIES = Path.of("target", "old-postgres");
  private static final AtomicInteger names = new AtomicInteger();

  private OldPostgres() {}

  static String freshDatabase() {
    String name = "old_" + names.incrementAndGet();
    Started.POSTGRES.createDatabase(name, "template1");
    return Started.POSTGRES.url(name);
  }

  /** As the server says it, such as {@code 15.17}. */
  static String version() {
    return Started.POSTGRES.version();
  }

  private static final class Started {
    static final EmbeddedPostgres POSTGRES = LocalStores.forTests().ownPostgres(binaries());

    private static Path binaries() {
      try (Stream<Path> files = Files.list(BINARIES)) {
        List<Path> jars = files.filter(file -> file.toString().contains("-" + VERSION)).toList();
        if (jars.size() != 1) {
          throw new IllegalStateException("one PostgreSQL 15 belongs into " + BINARIES);
        }
        return jars.getFirst();
      } catch (IOException e) {
        throw new UncheckedIOException("no PostgreSQL 15 in " + BINARIES, e);
      }
    }
  }
}
