package io.convoke.engine.journal;

import static io.convoke.engine.journal.JournalTestStore.LONG;
import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.simulator.stores.EmbeddedPostgres;
import io.convoke.simulator.stores.LocalStores;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Many writers, some slow, some rolled back: every tail sees each committed event once, in order.
 */
class JournalHistoryTest {
  private static final long SEED = Long.getLong("seed", System.nanoTime());
  private static final int WRITERS = 8;
  private static final int TRANSACTIONS = 200;
  private static final String END = "end";

  @Test
  void everyCommittedEventIsSeenOnceAndInOrderByEveryProcess() throws Exception {
    try (JournalTestStore store = JournalTestStore.fresh()) {
      Journal here = store.process();
      Journal there = store.process();
      assertThat(List.of(here.settled(), there.settled())).containsOnly(0L);
      CompletableFuture<List<JournalEvent>> seenHere = follow(here);
      CompletableFuture<List<JournalEvent>> seenThere = follow(there);
      Set<String> committed = ConcurrentHashMap.newKeySet();
      List<CompletableFuture<Void>> writers = new ArrayList<>();
      for (int w = 0; w < WRITERS; w++) {
        Random random = new Random(SEED + w);
        String name = "writer" + w;
        Journal through = w % 2 == 0 ? here : there;
        writers.add(
            CompletableFuture.runAsync(
                () -> write(store, through, name, random, committed), Thread::startVirtualThread));
      }
      CompletableFuture.allOf(writers.toArray(CompletableFuture[]::new)).get(60, TimeUnit.SECONDS);
      store.append(here, END);

      List<JournalEvent> table =
          store.database().read(tx -> new JournalTable().after(tx, 0, 1_000_000));
      assertThat(table).hasSize(committed.size() + 1);
      for (CompletableFuture<List<JournalEvent>> seen : List.of(seenHere, seenThere)) {
        assertThat(seen.get(60, TimeUnit.SECONDS).stream().map(JournalEvent::seq))
            .as("seed %d", SEED)
            .containsExactlyElementsOf(table.stream().map(JournalEvent::seq).toList());
      }
      assertThat(table.stream().map(JournalEvent::subject).filter(subject -> !subject.equals(END)))
          .as("seed %d", SEED)
          .containsExactlyInAnyOrderElementsOf(committed);
    }
  }

  @Tag("nightly")
  @Test
  void aTailOutlivesARestartOfPostgres() throws Exception {
    try (EmbeddedPostgres embeddedPostgres = LocalStores.forTests().ownPostgres();
        JournalTestStore store = JournalTestStore.on(embeddedPostgres)) {
      Journal journal = store.process();
      CompletableFuture<List<JournalEvent>> seen = follow(journal);
      store.append(journal, "before");
      JournalTestStore.Slow cut = store.slow(journal, "cut off");
      store.append(journal, "beyond a hole");
      embeddedPostgres.stop();
      embeddedPostgres.restart();
      cut.rollBack();
      store.append(journal, "after");
      store.append(journal, END);
      assertThat(seen.get(30, TimeUnit.SECONDS))
          .extracting(JournalEvent::subject)
          .containsExactly("before", "beyond a hole", "after", END);
    }
  }

  private static void write(
      JournalTestStore store, Journal journal, String name, Random random, Set<String> committed) {
    for (int t = 0; t < TRANSACTIONS; t++) {
      List<String> subjects = new ArrayList<>();
      for (int e = random.nextInt(4); e >= 0; e--) {
        subjects.add(name + ":" + t + ":" + e);
      }
      boolean rollsBack = random.nextInt(5) == 0;
      boolean writesElsewhereFirst = random.nextInt(4) == 0;
      double seconds = random.nextInt(10) == 0 ? random.nextDouble() / 20 : 0;
      try {
        store
            .database()
            .run(
                tx -> {
                  if (writesElsewhereFirst) {
                    var _ =
                        tx.sql("select pg_current_xact_id()::text as id").list(r -> r.text("id"));
                  }
                  for (String subject : subjects) {
                    journal.append(
                        tx, List.of(NewJournalEvent.of("t", subject, Optional.empty(), Map.of())));
                  }
                  var _ = tx.sql("select pg_sleep(?) is null as slept").with(seconds).list(r -> 1);
                  if (rollsBack) {
                    throw new RolledBack();
                  }
                });
        committed.addAll(subjects);
      } catch (RolledBack expected) {
        assertThat(rollsBack).isTrue();
      }
    }
  }

  /** Reads from the beginning to the end event, whatever happens to the store. */
  private static CompletableFuture<List<JournalEvent>> follow(Journal journal) {
    return CompletableFuture.supplyAsync(
        () -> {
          List<JournalEvent> seen = new ArrayList<>();
          try (JournalSubscription journalSubscription = journal.tail(0, EventFilter.ALL)) {
            while (seen.isEmpty() || !seen.getLast().subject().equals(END)) {
              try {
                seen.addAll(journalSubscription.next(LONG));
              } catch (StoreUnavailable away) {
                assertThat(away).hasMessageContaining("out of reach");
              }
            }
          } catch (InterruptedException e) {
            throw new AssertionError(e);
          }
          return seen;
        },
        Thread::startVirtualThread);
  }

  private static final class RolledBack extends RuntimeException {}
}
