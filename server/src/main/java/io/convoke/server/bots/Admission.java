package io.convoke.server.bots;

import io.convoke.engine.journal.Journal;
import io.convoke.engine.json.Json;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Tx;
import io.convoke.server.meetings.Meeting;
import io.convoke.server.meetings.MeetingStatus;
import io.convoke.server.meetings.StatusChange;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import tools.jackson.databind.JsonNode;

/**
 * Takes a place for a bot (seed 001, "Concurrency Control"): lock the user's row, count, insert.
 * The lock makes the count true until the commit; the partial unique index holds whatever the code
 * does. NULL is no limit, 0 is none.
 *
 * <p>A bot that is to start later counts from its start on, so it is counted here by time and once
 * more when it is dispatched ({@link #obstacle}).
 */
final class Admission {
  /** Serialises admissions of all users while a ceiling over all of them is set. */
  private static final long FLEET_LOCK = 0x636f6e766f6b65L;

  private static final String LIVE =
      "not tracked and status in ('requested', 'reserved', 'starting', 'active', 'stopping')";
  private static final String DISPATCHED = "(start_at is null or start_at <= now())";

  private final Database database;
  private final Journal journal;
  private final BotTerms terms;

  Admission(Database database, Journal journal, BotTerms terms) {
    this.database = database;
    this.journal = journal;
    this.terms = terms;
  }

  /** What to reserve. */
  record Ask(
      long userId,
      String platform,
      String nativeMeetingId,
      BotWish wish,
      Optional<Instant> startAt,
      Optional<JsonNode> data,
      String actor) {}

  /** The answer. */
  sealed interface Verdict {
    /** A row in {@code reserved}. */
    record Reserved(Meeting meeting) implements Verdict {}

    /** A live bot of this user is in that meeting already. */
    record Occupied(Meeting existing) implements Verdict {}

    /** The user may not have another bot now. */
    record OverLimit(int limit) implements Verdict {}

    /** Nobody may have another bot now. */
    record FleetFull(int limit) implements Verdict {}

    /** No such user. */
    record NoUser() implements Verdict {}
  }

  /** Reserves a place or says why not. */
  Verdict reserve(Ask ask) {
    return database.transaction(tx -> reserve(tx, ask));
  }

  /**
   * Why a scheduled bot has no place now that its time has come; call it in the transaction that
   * dispatches it. The row counts itself from its {@code start_at} on.
   */
  Optional<String> obstacle(Tx tx, BotRow row) {
    long user = row.meeting().userId();
    Optional<Integer> max = lockUser(tx, user).orElse(new Limit(Optional.of(0))).max();
    if (max.isPresent() && count(tx, user, row.id()) >= max.get()) {
      return Optional.of("bot_limit_reached");
    }
    return terms.maxLive().filter(ceiling -> fleet(tx) > ceiling).map(_ -> "fleet_limit_reached");
  }

  /** How many bots count under the ceiling, which nobody else can take a place under now. */
  private static long fleet(Tx tx) {
    lockFleet(tx);
    return tx.sql("select count(*) as bots from meetings where " + DISPATCHED + " and " + LIVE)
        .one(row -> row.longAt("bots"));
  }

  private Verdict reserve(Tx tx, Ask ask) {
    Optional<Limit> limit = lockUser(tx, ask.userId());
    if (limit.isEmpty()) {
      return new Verdict.NoUser();
    }
    if (terms.maxLive().isPresent()) {
      lockFleet(tx);
    }
    Optional<Integer> max = ask.startAt().isEmpty() ? limit.get().max() : Optional.empty();
    Optional<Integer> fleet = ask.startAt().isEmpty() ? terms.maxLive() : Optional.empty();
    Found found = take(tx, ask, max, fleet);
    if (found.taken().isPresent()) {
      note(tx, ask, found.taken().get());
      return new Verdict.Reserved(found.taken().get());
    }
    if (found.existing().isPresent()) {
      return new Verdict.Occupied(meeting(tx, found.existing().get()));
    }
    return max.filter(most -> found.bots() >= most)
        .<Verdict>map(Verdict.OverLimit::new)
        .or(() -> fleet.map(Verdict.FleetFull::new))
        .orElseThrow(() -> new IllegalStateException("no place, and no reason why"));
  }

  /** A user's limit; empty inside means none is set. */
  private record Limit(Optional<Integer> max) {}

  private static Optional<Limit> lockUser(Tx tx, long userId) {
    return tx.sql("select max_concurrent_bots from users where id = ? for update")
        .with(userId)
        .first(row -> new Limit(row.maybeInt("max_concurrent_bots")));
  }

  private static Meeting meeting(Tx tx, long id) {
    return tx.sql("select " + Meeting.COLUMNS + " from meetings where id = ?")
        .with(id)
        .one(Meeting::of);
  }

  private long count(Tx tx, long userId, long except) {
    return tx.sql(
            "select count(*) as bots from meetings where user_id = ? and id <> ? and (? or status"
                + " <> 'stopping') and "
                + DISPATCHED
                + " and "
                + LIVE)
        .with(userId, except, terms.countStopping())
        .one(row -> row.longAt("bots"));
  }

  private static void lockFleet(Tx tx) {
    int _ = tx.sql("select pg_advisory_xact_lock(?)").with(FLEET_LOCK).list(row -> 0).size();
  }

  /** A place, or what stands in its way. */
  private record Found(Optional<Meeting> taken, Optional<Long> existing, long bots) {}

  /**
   * Looks, counts and inserts in one statement, so that a start costs as few round trips as it can
   * under the user's lock.
   */
  private Found take(Tx tx, Ask ask, Optional<Integer> max, Optional<Integer> fleet) {
    return tx.sql(
            """
            with facts as materialized (
              select
                (select id from meetings where user_id = ? and platform = ?
                  and platform_specific_id = ? and LIVE limit 1) as existing,
                (select count(*) from meetings where ?::int is not null and user_id = ?
                  and (? or status <> 'stopping') and DISPATCHED and LIVE) as bots,
                (select count(*) from meetings where ?::int is not null
                  and DISPATCHED and LIVE) as fleet),
            taken as (
              insert into meetings
                (user_id, platform, platform_specific_id, status, connection_id, attempt, start_at,
                 bot, data)
              select ?, ?, ?, 'reserved', ?, 1, ?::timestamptz, ?::jsonb, ?::jsonb from facts
              where existing is null and bots < coalesce(?::int, bots + 1)
                and fleet < coalesce(?::int, fleet + 1)
              returning COLUMNS)
            select facts.existing, facts.bots, taken.* from facts left join taken on true
            """
                .replace("LIVE", LIVE)
                .replace("DISPATCHED", DISPATCHED)
                .replace("COLUMNS", Meeting.COLUMNS))
        .with(
            ask.userId(),
            ask.platform(),
            ask.nativeMeetingId(),
            max,
            ask.userId(),
            terms.countStopping(),
            fleet,
            ask.userId(),
            ask.platform(),
            ask.nativeMeetingId(),
            UUID.randomUUID().toString(),
            ask.startAt(),
            Json.tree(ask.wish()),
            ask.data().orElseGet(() -> Json.mapper().createObjectNode()),
            max,
            fleet)
        .one(
            row ->
                new Found(
                    row.maybeLong("id").isPresent()
                        ? Optional.of(Meeting.of(row))
                        : Optional.empty(),
                    row.maybeLong("existing"),
                    row.longAt("bots")));
  }

  private void note(Tx tx, Ask ask, Meeting meeting) {
    journal.append(
        tx,
        List.of(
            new StatusChange(
                    meeting.id(),
                    ask.userId(),
                    Optional.empty(),
                    MeetingStatus.RESERVED,
                    "requested",
                    "reserved",
                    ask.actor(),
                    1)
                .event(meeting.createdAt(), Evidence.NONE)));
  }
}
