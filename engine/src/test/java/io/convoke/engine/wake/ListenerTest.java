package io.convoke.engine.wake;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.signal.Signal;
import io.convoke.engine.signal.Signal.Observation;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.lab.stores.Postgres;
import io.convoke.lab.stores.Stores;
import java.net.URI;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ListenerTest {
  private static final Duration LONG = Duration.ofSeconds(20);
  private static final String RESCAN = "(rescan)";

  private final String url = Stores.forTests().freshDatabase();
  private final Signal<String> heard = new Signal<>();
  private final Listener.Receiver receiver =
      new Listener.Receiver() {
        @Override
        public void notified(String payload) {
          heard.emit(payload);
        }

        @Override
        public void rescan() {
          heard.emit(RESCAN);
        }
      };

  @Test
  void itListensFirstAndThenTellsToLook() {
    try (Database database = open(url);
        Observation<String> all = heard.observe();
        Listener listener = new Listener(DatabaseUrl.parse(url), Map.of("a b\"c", receiver))) {
      assertThat(all.await(LONG)).isEqualTo(RESCAN);
      assertThat(listener.listening()).isTrue();
      notify(database, "a b\"c", "one");
      notify(database, "another", "not for us");
      notify(database, "a b\"c", "two");
      assertThat(all.await(LONG)).isEqualTo("one");
      assertThat(all.await(LONG)).isEqualTo("two");
    }
  }

  @Test
  void afterABreakItComesBackAndTellsToLookAgain() {
    try (Database database = open(url);
        Observation<String> all = heard.observe();
        Listener listener = new Listener(DatabaseUrl.parse(url), Map.of("c", receiver));
        Observation<Boolean> connected = listener.connected().observe()) {
      assertThat(all.await(LONG)).isEqualTo(RESCAN);
      assertThat(cut(database)).isPositive();
      assertThat(connected.await(up -> !up, LONG)).isFalse();
      assertThat(all.await(LONG)).isEqualTo(RESCAN);
      notify(database, "c", "heard again");
      assertThat(all.await(LONG)).isEqualTo("heard again");
    }
  }

  @Test
  void aWireThatWentDeadWithoutAWordIsNoticed() throws Exception {
    int port = URI.create(url).getPort();
    try (SilentProxy proxy = new SilentProxy(port);
        Database database = open(url);
        Observation<String> all = heard.observe();
        Listener _ =
            new Listener(
                DatabaseUrl.parse(url.replace(":" + port, ":" + proxy.port())),
                Map.of("c", receiver),
                Listener.Session.PLAIN,
                Duration.ofMillis(200))) {
      assertThat(all.await(LONG)).isEqualTo(RESCAN);
      proxy.silenceOpenConnections();
      notify(database, "c", "said into the void");
      assertThat(all.await(LONG)).isEqualTo(RESCAN);
      notify(database, "c", "heard again");
      assertThat(all.await(LONG)).isEqualTo("heard again");
    }
  }

  @Test
  void aReceiverThatFailsHarmsNobody() {
    Listener.Receiver broken =
        new Listener.Receiver() {
          @Override
          public void notified(String payload) {
            throw new IllegalStateException("cannot be told");
          }

          @Override
          public void rescan() {
            throw new IllegalStateException("cannot look");
          }
        };
    try (Database database = open(url);
        Observation<String> all = heard.observe();
        Listener _ =
            new Listener(DatabaseUrl.parse(url), Map.of("broken", broken, "whole", receiver))) {
      assertThat(all.await(LONG)).isEqualTo(RESCAN);
      notify(database, "broken", "x");
      notify(database, "whole", "y");
      assertThat(all.await(LONG)).isEqualTo("y");
    }
  }

  /** Supervised: whatever goes wrong while it connects, it connects again. */
  @Test
  void aSessionThatFailsDoesNotEndTheListener() {
    AtomicInteger opened = new AtomicInteger();
    Listener.Session failing =
        new Listener.Session() {
          @Override
          public void opened(Connection connection) {
            switch (opened.incrementAndGet()) {
              case 1 -> throw new IllegalStateException("on purpose");
              case 2 -> throw new AssertionError("an error, too");
              default -> {}
            }
          }

          @Override
          public void lost() {
            if (opened.get() == 1) {
              throw new IllegalStateException("and again");
            }
          }
        };
    try (Observation<String> all = heard.observe();
        Listener listener = new Listener(DatabaseUrl.parse(url), Map.of("c", receiver), failing)) {
      assertThat(all.await(LONG)).isEqualTo(RESCAN);
      assertThat(listener.connects()).isOne();
    }
  }

  @Test
  void itStartsWhilePostgresIsAway() {
    try (Postgres postgres = Stores.forTests().ownPostgres()) {
      postgres.stop();
      try (Observation<String> all = heard.observe();
          Listener listener =
              new Listener(DatabaseUrl.parse(postgres.url("postgres")), Map.of("c", receiver))) {
        assertThat(listener.listening()).isFalse();
        postgres.restart();
        assertThat(all.await(LONG)).isEqualTo(RESCAN);
      }
    }
  }

  private static Database open(String url) {
    return Database.open(DatabaseUrl.parse(url), 2, "test", List.of("public"));
  }

  private static void notify(Database database, String channel, String payload) {
    database.run(
        tx -> {
          var _ =
              tx.sql("select pg_notify(?, ?) is null as sent").with(channel, payload).list(r -> 1);
        });
  }

  private static int cut(Database database) {
    return database.read(
        tx ->
            tx.sql(
                    """
                    select count(pg_terminate_backend(pid)) as n from pg_stat_activity
                    where application_name = 'convoke-listener' and datname = current_database()
                    """)
                .one(row -> row.intAt("n")));
  }
}
