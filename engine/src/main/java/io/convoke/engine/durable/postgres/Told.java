package io.convoke.engine.durable.postgres;

import io.convoke.engine.sql.Answers;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Query;
import io.convoke.engine.sql.Tx;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Writes to a queue and lets everybody know what is visible by it. A writer after a silence tells
 * other nodes on the same way to Postgres, right after its commit: that is the quickest. Of many
 * writers one after the other the announcer tells, once for all.
 */
final class Told {
  private Told() {}

  /**
   * Commits one statement.
   *
   * @param insert remembers what it made visible as {@link Announcer#visible} has it
   * @param reading reads its rows
   */
  static <T> Written<T> insert(
      Database database,
      Lane lane,
      Function<Tx, Query> insert,
      Function<Answers, Written<T>> reading) {
    Optional<String> channel = lane.tellingOn();
    if (channel.isEmpty()) {
      Written<T> written = database.read(tx -> tx.ask(List.of(insert.apply(tx)), reading));
      written.earliest().ifPresent(lane::wrote);
      return written;
    }
    Spoken<T> spoken = speak(database, lane, insert, Announcer.telling(channel.get()), reading);
    spoken.written.earliest().ifPresent(at -> lane.wroteAndTold(at, spoken.voice));
    return spoken.written;
  }

  /** What was written, and by which server process it was told. */
  private record Spoken<T>(Written<T> written, int voice) {}

  private static <T> Spoken<T> speak(
      Database database,
      Lane lane,
      Function<Tx, Query> insert,
      Function<Tx, Query> telling,
      Function<Answers, Written<T>> reading) {
    boolean known = false;
    try {
      Spoken<T> spoken =
          database.transaction(
              tx ->
                  tx.commit(
                      List.of(insert.apply(tx)),
                      telling.apply(tx),
                      answers ->
                          new Spoken<>(
                              reading.apply(answers),
                              answers.first(row -> row.intAt("voice")).orElseThrow())));
      known = true;
      return spoken;
    } finally {
      if (!known) {
        // It may be written all the same, and our own word of it is one that we do not listen to.
        lane.wrote(Instant.EPOCH);
      }
    }
  }
}
