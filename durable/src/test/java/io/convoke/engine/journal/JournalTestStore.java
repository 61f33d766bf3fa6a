package io.convoke.engine.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.engine.sql.Tx;
import io.convoke.engine.wake.PostgresListener;
import io.convoke.simulator.stores.EmbeddedPostgres;
import io.convoke.simulator.stores.LocalStores;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A database with the journal's table, and what tests do with it. */
final class JournalTestStore implements AutoCloseable {
  static final Duration LONG = Duration.ofSeconds(20);

  private final DatabaseUrl url;
  private final Database database;
  private final List<Runnable> closers = new ArrayList<>();

  private JournalTestStore(String url) {
    this.url = DatabaseUrl.parse(url);
    this.database = Database.open(this.url, 16, "test", List.of("public"));
    database.run(tx -> tx.sql(ddl()).update());
  }

  static JournalTestStore fresh() {
    return new JournalTestStore(LocalStores.forTests().freshDatabase());
  }

  static JournalTestStore on(EmbeddedPostgres embeddedPostgres) {
    return new JournalTestStore(embeddedPostgres.url("postgres"));
  }

  Database database() {
    return database;
  }

  /** A journal as another process would have it: its own pool and listener. */
  Journal process() {
    Database pool = Database.open(url, 2, "test-process", List.of("public"));
    Journal journal = new Journal(pool);
    PostgresListener postgresListener =
        new PostgresListener(url, Map.of(Journal.CHANNEL, journal.receiver()));
    closers.addAll(List.of(pool::close, journal::close, postgresListener::close));
    return journal;
  }

  void append(Journal journal, String... subjects) {
    database.run(tx -> append(journal, tx, subjects));
  }

  static void append(Journal journal, Tx tx, String... subjects) {
    List<NewJournalEvent> events = new ArrayList<>();
    for (String subject : subjects) {
      events.add(NewJournalEvent.of("type", subject, Optional.empty(), Map.of("name", subject)));
    }
    journal.append(tx, events);
  }

  /** Starts a transaction in another thread that waits at its gate with the work done. */
  Slow slow(Journal journal, String... subjects) {
    Slow slow = new Slow();
    slow.end =
        CompletableFuture.runAsync(
            () ->
                database.run(
                    tx -> {
                      append(journal, tx, subjects);
                      slow.written.complete(null);
                      if (!slow.gate.join()) {
                        throw new IllegalStateException("rolled back");
                      }
                    }),
            Thread::startVirtualThread);
    slow.written.orTimeout(10, TimeUnit.SECONDS).join();
    return slow;
  }

  /** A writer that has written and not ended. */
  static final class Slow {
    private final CompletableFuture<Void> written = new CompletableFuture<>();
    private final CompletableFuture<Boolean> gate = new CompletableFuture<>();
    private CompletableFuture<Void> end = new CompletableFuture<>();

    void commit() {
      gate.complete(true);
      end.orTimeout(10, TimeUnit.SECONDS).join();
    }

    void rollBack() {
      gate.complete(false);
      assertThat(end).failsWithin(LONG);
    }
  }

  /** Reads a tail until it has given so many events, and answers their subjects. */
  static List<String> take(JournalSubscription journalSubscription, int count)
      throws InterruptedException {
    List<String> subjects = new ArrayList<>();
    while (subjects.size() < count) {
      List<JournalEvent> events = journalSubscription.next(LONG);
      assertThat(events).as("after %s of %d", subjects, count).isNotEmpty();
      events.forEach(journalEvent -> subjects.add(journalEvent.subject()));
    }
    return subjects;
  }

  @Override
  public void close() {
    closers.reversed().forEach(Runnable::run);
    database.close();
  }

  private static String ddl() {
    try (InputStream file = Journal.class.getResourceAsStream("journal.sql")) {
      return new String(file.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
