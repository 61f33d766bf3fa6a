package io.convoke.e2e.journey;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.convoke.simulator.stores.LocalStores;
import io.convoke.simulator.stores.PgBouncer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The same server behind a PgBouncer that gives each transaction another session. */
@Tag("nightly")
@Tag("heavy")
class JourneyBehindPgBouncerTest extends JourneyTest {
  @BeforeAll
  static void isInstalled() {
    assumeThat(Started.PG_BOUNCER).as("Debian's pgbouncer").isPresent();
  }

  @Override
  JourneyTestServer open(Path folder, Map<String, String> settings) {
    String direct = LocalStores.forTests().freshDatabase();
    Map<String, String> all = new HashMap<>(settings);
    all.put("CONVOKE_DATABASE_URL", Started.PG_BOUNCER.orElseThrow().url(direct));
    all.put("CONVOKE_LISTEN_DATABASE_URL", direct);
    return JourneyTestServer.open(folder, all);
  }

  @Test
  void aServerStopsAtItsStartWithoutAWayPastIt(@TempDir Path folder) {
    String direct = LocalStores.forTests().freshDatabase();
    Map<String, String> settings =
        Map.of("CONVOKE_DATABASE_URL", Started.PG_BOUNCER.orElseThrow().url(direct));
    assertThatThrownBy(() -> JourneyTestServer.open(folder, settings))
        .hasMessageContaining("CONVOKE_LISTEN_DATABASE_URL");
  }

  private static final class Started {
    static final Optional<PgBouncer> PG_BOUNCER = LocalStores.forTests().ownPgBouncer();
  }
}
