package io.convoke.engine.wake;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.engine.testhook.TestSignal;
import io.convoke.engine.testhook.TestSignal.SignalObservation;
import io.convoke.simulator.stores.EmbeddedPostgres;
import io.convoke.simulator.stores.LocalStores;
import java.net.URI;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class PostgresListenerTest {
  private static final Duration LONG = Duration.ofSeconds(20);
  private static final String RESCAN = "(rescan)";

  private final String url = LocalStores.forTests().freshDatabase();
  private final TestSignal<String> heard = new TestSignal<>();
  private final PostgresListener.NotificationReceiver notificationReceiver =
      new PostgresListener.NotificationReceiver() {
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
        SignalObservation<String> all = heard.observe();
        PostgresListener postgresListener =
            new PostgresListener(DatabaseUrl.parse(url), Map.of("a b\"c", notificationReceiver))) {
      assertThat(all.await(LONG)).isEqualTo(RESCAN);
      assertThat(postgresListener.listening()).isTrue();
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
        SignalObservation<String> all = heard.observe();
        PostgresListener postgresListener =
            new PostgresListener(DatabaseUrl.parse(url), Map.of("c", notificationReceiver));
        SignalObservation<Boolean> connected = postgresListener.connected().observe()) {
      assertThat(all.await(LONG)).isEqualTo(RESCAN);
      assertThat(cut(database)).isPositive();
      assertThat(connected.await(up -> !up, LONG)).isFalse();
      assertThat(all.await(LONG)).isEqualTo(RESCAN);
      notify(database, "c", "heard again");
      assertThat(all.await(LONG)).isEqualTo("heard again");
    }
  }

  @Tag("nightly")
  @Test
  void aWireThatWentDeadWithoutAWordIsNoticed() throws Exception {
    int port = URI.create(url).getPort();
    try (SilentProxy proxy = new SilentProxy(port);
        Database database = open(url);
        SignalObservation<String> all = heard.observe();
        PostgresListener _ =
            new PostgresListener(
                DatabaseUrl.parse(url.replace(":" + port, ":" + proxy.port())),
                Map.of("c", notificationReceiver),
                PostgresListener.ListenerSession.PLAIN,
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
    PostgresListener.NotificationReceiver broken =
        new PostgresListener.NotificationReceiver() {
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
        SignalObservation<String> all = heard.observe();
        PostgresListener _ =
            new PostgresListener(
                DatabaseUrl.parse(url), Map.of("broken", broken, "whole", notificationReceiver))) {
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
    PostgresListener.ListenerSession failing =
        new PostgresListener.ListenerSession() {
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
    try (SignalObservation<String> all = heard.observe();
        PostgresListener postgresListener =
            new PostgresListener(
                DatabaseUrl.parse(url), Map.of("c", notificationReceiver), failing)) {
      assertThat(all.await(LONG)).isEqualTo(RESCAN);
      assertThat(postgresListener.connects()).isOne();
    }
  }

  @Tag("nightly")
  @Test
  void itStartsWhilePostgresIsAway() {
    try (EmbeddedPostgres embeddedPostgres = LocalStores.forTests().ownPostgres()) {
      embeddedPostgres.stop();
      try (SignalObservation<String> all = heard.observe();
          PostgresListener postgresListener =
              new PostgresListener(
                  DatabaseUrl.parse(embeddedPostgres.url("postgres")),
                  Map.of("c", notificationReceiver))) {
        assertThat(postgresListener.listening()).isFalse();
        embeddedPostgres.restart();
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
                .one(resultRow -> resultRow.intAt("n")));
  }
}
