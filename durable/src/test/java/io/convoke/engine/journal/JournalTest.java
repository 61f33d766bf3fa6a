package io.convoke.engine.journal;

import static io.convoke.engine.journal.JournalTestStore.take;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.engine.journal.JournalTestStore.Slow;
import io.convoke.engine.json.Json;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.engine.testhook.TestSignal.SignalObservation;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class JournalTest {
  private final JournalTestStore store = JournalTestStore.fresh();

  @AfterEach
  void close() {
    store.close();
  }

  @Test
  void anEventIsReadAsItWasWritten() {
    Journal journal = store.process();
    Instant before = Instant.now().minusSeconds(5);
    store
        .database()
        .run(
            tx ->
                journal.append(
                    tx,
                    List.of(
                        NewJournalEvent.of(
                            "a.b", "meeting:1", Optional.of(7L), Map.of("k", List.of(1))),
                        NewJournalEvent.of("c.d", "task:2", Optional.empty(), Map.of()))));
    List<JournalEvent> events = journal.read(EventFilter.ALL, 0, 10);
    assertThat(events).hasSize(2);
    JournalEvent first = events.getFirst();
    assertThat(first.type()).isEqualTo("a.b");
    assertThat(first.subject()).isEqualTo("meeting:1");
    assertThat(first.userId()).contains(7L);
    assertThat(first.data()).isEqualTo(Json.read("{\"k\":[1]}"));
    assertThat(first.at()).isBetween(before, Instant.now().plusSeconds(5));
    assertThat(events.getLast().userId()).isEmpty();
    assertThat(events.getLast().seq()).isEqualTo(first.seq() + 1);
  }

  @Test
  void whatAProcessCommittedItReadsAtOnce() {
    Journal journal = store.process();
    for (int i = 1; i <= 50; i++) {
      store.append(journal, "n" + i);
      assertThat(journal.read(EventFilter.ALL, 0, 100)).hasSize(i);
    }
  }

  @Test
  void aTransactionThatRollsBackLeavesNoEventAndHoldsNobodyBack() throws InterruptedException {
    Journal journal = store.process();
    assertThat(journal.settled()).isZero();
    try (JournalSubscription journalSubscription = journal.tail(0, EventFilter.ALL)) {
      Slow slow = store.slow(journal, "never");
      store.append(journal, "after the hole");
      slow.rollBack();
      assertThat(take(journalSubscription, 1)).containsExactly("after the hole");
    }
  }

  @Test
  void aSlowWriterIsWaitedForSoThatTheOrderHolds() throws InterruptedException {
    Journal journal = store.process();
    assertThat(journal.settled()).isZero();
    try (JournalSubscription journalSubscription = journal.tail(0, EventFilter.ALL)) {
      Slow slow = store.slow(journal, "first");
      store.append(journal, "second");
      assertThat(journalSubscription.next(Duration.ofMillis(300))).isEmpty();
      assertThat(journal.read(EventFilter.ALL, 0, 10)).isEmpty();
      slow.commit();
      assertThat(take(journalSubscription, 2)).containsExactly("first", "second");
    }
  }

  /**
   * The slow writer drew its sequence first and got its transaction id last: the id is greater than
   * any that ended, so a snapshot does not name it among the running ones. The others write in
   * plain SQL, because an announcement takes an id of its own and hides this.
   */
  @Test
  void aWriterThatNoSnapshotNamesIsWaitedForToo() throws InterruptedException {
    Journal journal = store.process();
    assertThat(journal.settled()).isZero();
    try (JournalSubscription journalSubscription = journal.tail(0, EventFilter.ALL)) {
      CompletableFuture<Slow> slow = new CompletableFuture<>();
      store
          .database()
          .run(
              tx -> {
                var _ =
                    tx.sql("select pg_current_xact_id()::text as id")
                        .one(resultRow -> resultRow.text("id"));
                slow.complete(store.slow(journal, "first"));
                tx.sql("insert into events (type, subject) values ('type', 'second')").update();
              });
      journal.receiver().rescan();
      assertThat(journalSubscription.next(Duration.ofMillis(500))).isEmpty();
      slow.join().commit();
      assertThat(take(journalSubscription, 2)).containsExactly("first", "second");
    }
  }

  @Test
  void aWriterThatRollsBackToASavepointLeavesAHoleThatIsPassed() throws InterruptedException {
    Journal journal = store.process();
    try (JournalSubscription journalSubscription = journal.tail(0, EventFilter.ALL)) {
      store
          .database()
          .run(
              tx -> {
                tx.sql("savepoint s").update();
                JournalTestStore.append(journal, tx, "undone");
                tx.sql("rollback to s").update();
                JournalTestStore.append(journal, tx, "kept");
              });
      assertThat(take(journalSubscription, 1)).containsExactly("kept");
    }
  }

  @Test
  void aLongTransactionThatDoesNotWriteEventsHoldsNobodyBack() throws InterruptedException {
    Journal journal = store.process();
    store.database().run(tx -> tx.sql("create table other (n int)").update());
    store
        .database()
        .run(
            tx -> {
              tx.sql("insert into other values (1)").update();
              Slow slow = store.slow(journal, "never");
              store.append(journal, "on time");
              slow.rollBack();
              assertThat(readOne(journal)).isEqualTo("on time");
            });
  }

  private static String readOne(Journal journal) {
    try (JournalSubscription journalSubscription = journal.tail(0, EventFilter.ALL)) {
      return take(journalSubscription, 1).getFirst();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aProcessThatStartsBesideASlowWriterBeginsWhenItHasEnded() throws Exception {
    Journal old = store.process();
    Slow slow = store.slow(old, "first");
    store.append(old, "second");

    Journal young = store.process();
    try (JournalSubscription journalSubscription = young.tail(0, EventFilter.ALL)) {
      assertThat(journalSubscription.next(Duration.ofMillis(300))).isEmpty();
      store.append(old, "third");
      slow.commit();
      assertThat(take(journalSubscription, 3)).containsExactly("first", "second", "third");
    }
  }

  @Tag("nightly")
  @Test
  void aProcessThatCannotBeginSaysSo() {
    Journal old = store.process();
    Slow slow = store.slow(old, "first");
    store.append(old, "second");
    Journal young = store.process();
    assertThatThrownBy(young::settled).isInstanceOf(StoreUnavailable.class);
    slow.rollBack();
    assertThat(young.read(EventFilter.ALL, 0, 10)).hasSize(1);
  }

  @Test
  void anotherProcessHearsWithoutDelay() throws InterruptedException {
    Journal here = store.process();
    Journal there = store.process();
    try (JournalSubscription journalSubscription = there.tail(there.settled(), EventFilter.ALL)) {
      for (int i = 0; i < 5; i++) {
        // Far below the minute after which it would look by itself.
        store.append(here, "n" + i);
        assertThat(take(journalSubscription, 1)).containsExactly("n" + i);
      }
    }
  }

  @Test
  void whatWasMissedWhileNobodyListenedIsFoundByTheNextConnect() throws InterruptedException {
    Journal there = store.process();
    Journal here = new Journal(store.database());
    try (JournalSubscription journalSubscription = there.tail(there.settled(), EventFilter.ALL)) {
      store.append(here, "heard");
      assertThat(take(journalSubscription, 1)).containsExactly("heard");
      // The listener goes and an event comes in one transaction, so no notification is heard.
      store
          .database()
          .run(
              tx -> {
                var _ =
                    tx.sql(
                            """
                            select pg_terminate_backend(pid, 5000) as gone from pg_stat_activity
                            where application_name = 'convoke-listener'
                              and datname = current_database()
                            """)
                        .list(resultRow -> resultRow.booleanAt("gone"));
                tx.sql(
                        """
                        insert into events (type, subject) values ('type', 'missed')
                        """)
                    .update();
              });
      assertThat(take(journalSubscription, 1)).containsExactly("missed");
    } finally {
      here.close();
    }
  }

  @Test
  void aTailGoesOnFromAnyPlaceInMemoryOrTable() throws InterruptedException {
    Journal journal = store.process();
    assertThat(journal.settled()).isZero();
    List<String> names = IntStream.rangeClosed(1, 1300).mapToObj(i -> "n" + i).toList();
    store.append(journal, names.toArray(String[]::new));
    Journal young = store.process();
    for (Journal each : List.of(journal, young)) {
      try (JournalSubscription all = each.tail(0, EventFilter.ALL);
          JournalSubscription late = each.tail(1298, EventFilter.ALL)) {
        assertThat(take(all, 1300)).isEqualTo(names);
        assertThat(all.position()).isEqualTo(1300);
        assertThat(take(late, 2)).containsExactly("n1299", "n1300");
      }
    }
    try (JournalSubscription last = young.tail(1300, EventFilter.ALL)) {
      store.append(journal, "fresh");
      assertThat(take(last, 1)).containsExactly("fresh");
    }
  }

  @Test
  void filtersChooseByTypeSubjectAndUser() throws InterruptedException {
    Journal journal = store.process();
    store
        .database()
        .run(
            tx ->
                journal.append(
                    tx,
                    List.of(
                        NewJournalEvent.of("joined", "meeting:1", Optional.of(1L), Map.of()),
                        NewJournalEvent.of("left", "meeting:1", Optional.of(1L), Map.of()),
                        NewJournalEvent.of("joined", "meeting:2", Optional.of(2L), Map.of()),
                        NewJournalEvent.of("joined", "meeting:3", Optional.empty(), Map.of()))));
    EventFilter joined = filter("joined", null, null);
    for (Journal each : List.of(journal, store.process())) {
      assertThat(seqs(each, joined)).containsExactly(1L, 3L, 4L);
      assertThat(seqs(each, EventFilter.subject("meeting:1"))).containsExactly(1L, 2L);
      assertThat(seqs(each, filter(null, null, 2L))).containsExactly(3L);
      assertThat(seqs(each, filter("left", "meeting:1", 1L))).containsExactly(2L);
      assertThat(seqs(each, filter("left", "meeting:2", null))).isEmpty();
      try (JournalSubscription journalSubscription = each.tail(1, joined)) {
        assertThat(take(journalSubscription, 2)).containsExactly("meeting:2", "meeting:3");
        assertThat(journalSubscription.next(Duration.ZERO)).isEmpty();
        assertThat(journalSubscription.position()).isEqualTo(4);
      }
    }
    assertThat(journal.readBefore(joined, 4, 10))
        .extracting(JournalEvent::seq)
        .containsExactly(3L, 1L);
    assertThat(journal.readBefore(EventFilter.ALL, Long.MAX_VALUE, 2))
        .extracting(JournalEvent::seq)
        .containsExactly(4L, 3L);
    assertThat(journal.read(EventFilter.ALL, 1, 2))
        .extracting(JournalEvent::seq)
        .containsExactly(2L, 3L);
  }

  @Test
  void readingBackwardsShowsNothingUnsettledEither() throws InterruptedException {
    Journal journal = store.process();
    assertThat(journal.settled()).isZero();
    store.append(journal, "settled");
    try (JournalSubscription journalSubscription = journal.tail(0, EventFilter.ALL)) {
      assertThat(take(journalSubscription, 1)).containsExactly("settled");
    }
    Slow slow = store.slow(journal, "slow");
    store.append(journal, "held back");
    assertThat(journal.readBefore(EventFilter.ALL, Long.MAX_VALUE, 9))
        .extracting(JournalEvent::subject)
        .containsExactly("settled");
    slow.commit();
  }

  @Test
  void aTailThatIsClosedOrWhoseJournalIsClosedReturns() throws Exception {
    Journal journal = store.process();
    assertThat(journal.settled()).isZero();
    for (AutoCloseable end : List.<AutoCloseable>of(journal.tail(0, EventFilter.ALL), journal)) {
      JournalSubscription journalSubscription =
          end instanceof JournalSubscription itself ? itself : journal.tail(0, EventFilter.ALL);
      CompletableFuture<List<JournalEvent>> answer = new CompletableFuture<>();
      Thread reader =
          Thread.ofPlatform()
              .daemon()
              .start(
                  () -> {
                    try {
                      answer.complete(journalSubscription.next(Duration.ofMinutes(5)));
                    } catch (InterruptedException e) {
                      answer.completeExceptionally(e);
                    }
                  });
      while (reader.getState() != Thread.State.TIMED_WAITING) {
        LockSupport.parkNanos(10_000_000);
      }
      end.close();
      assertThat(answer.get(10, TimeUnit.SECONDS)).isEmpty();
    }
  }

  @Tag("nightly")
  @Test
  void waitingCostsNothing() {
    Journal journal = store.process();
    Journal other = store.process();
    store.append(journal, "something");
    try (SignalObservation<Long> settled = other.settledSignal().observe()) {
      assertThat(other.settled()).isPositive();
      List<JournalSubscription> tails =
          IntStream.range(0, 100).mapToObj(i -> other.tail(0, EventFilter.ALL)).toList();
      assertThat(tails).hasSize(100);
      // Two seconds to fill the pools, then five quiet ones: at 0.1 statements a second, none.
      assertSilent(settled, Duration.ofSeconds(2));
      Map<Integer, Instant> before = lastStatements();
      assertSilent(settled, Duration.ofSeconds(5));
      assertThat(lastStatements()).isEqualTo(before);
    }
  }

  private static void assertSilent(SignalObservation<Long> settled, Duration span) {
    settled.drain();
    assertThatThrownBy(() -> settled.await(span)).isInstanceOf(AssertionError.class);
  }

  /** When each connection of this database began its last statement, except the one that asks. */
  private Map<Integer, Instant> lastStatements() {
    record Line(int pid, Instant at) {}
    return store
        .database()
        .read(
            tx ->
                tx
                    .sql(
                        """
                        select pid, query_start from pg_stat_activity
                        where datname = current_database() and application_name <> 'test'
                          and query_start is not null
                        """)
                    .list(
                        resultRow ->
                            new Line(resultRow.intAt("pid"), resultRow.instant("query_start")))
                    .stream()
                    .collect(java.util.stream.Collectors.toMap(Line::pid, Line::at)));
  }

  private static List<Long> seqs(Journal journal, EventFilter filter) {
    return journal.read(filter, 0, 10).stream().map(JournalEvent::seq).toList();
  }

  private static EventFilter filter(
      @Nullable String type, @Nullable String subject, @Nullable Long userId) {
    return new EventFilter(
        Optional.ofNullable(type), Optional.ofNullable(subject), Optional.ofNullable(userId));
  }
}
