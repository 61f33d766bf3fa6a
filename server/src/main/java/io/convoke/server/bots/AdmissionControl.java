package io.convoke.server.bots;

import io.convoke.engine.journal.Journal;
import io.convoke.engine.json.Json;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Query;
import io.convoke.engine.sql.ResultRow;
import io.convoke.engine.sql.Tx;
import io.convoke.server.http.Problem;
import io.convoke.server.meetings.Meeting;
import io.convoke.server.meetings.MeetingStatus;
import io.convoke.server.meetings.MeetingStatusChange;
import io.convoke.server.rooms.RoomClaims;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/**
 * Reserves a place for a bot (bots-1): locks the user's row, counts, inserts. The lock makes the
 * count true until the commit; the partial unique index holds whatever the code does. NULL is no
 * limit, 0 is none.
 *
 * <p>A scheduled bot counts from its start on, so it is counted here by time and once more when it
 * is dispatched ({@link #obstacle}).
 */
final class AdmissionControl {
  /** Serialises admissions of all users while a ceiling over all of them is set. */
  private static final long FLEET_LOCK = 0x636f6e766f6b65L;

  private static final String FLEET = "(select count(*) from meetings where DISPATCHED and LIVE)";

  /** Not {@code now()}: a place may have been given while this transaction waited for the user. */
  private static final String DISPATCHED = "(start_at is null or start_at <= clock_timestamp())";

  /** Where rooms have no owners, each is the user's. */
  private static final String NO_OWNERS = "owner as (select user_id from asking)";

  private final Database database;
  private final Journal journal;
  private final RoomClaims rooms;
  private final BotsConfig terms;
  private final PerUserLock turns = new PerUserLock();

  AdmissionControl(Database database, Journal journal, RoomClaims rooms, BotsConfig terms) {
    this.database = database;
    this.journal = journal;
    this.rooms = rooms;
    this.terms = terms;
  }

  /**
   * What to reserve.
   *
   * @param key another id of the same meeting
   * @param queueFor how long to wait for a free place; empty: not at all
   */
  record ReservationRequest(
      long userId,
      String platform,
      String nativeMeetingId,
      Optional<String> key,
      BotSpec spec,
      BotLimits limits,
      Optional<Instant> startAt,
      Optional<Duration> queueFor,
      Optional<JsonNode> data,
      String actor) {
    ReservationRequest sealed(BotSpec sealedSpec) {
      return new ReservationRequest(
          userId,
          platform,
          nativeMeetingId,
          key,
          sealedSpec,
          limits,
          startAt,
          queueFor,
          data,
          actor);
    }

    String[] ids() {
      return Stream.concat(Stream.of(nativeMeetingId), key.stream()).toArray(String[]::new);
    }
  }

  /**
   * Reserves a place: a row in {@code reserved}.
   *
   * @throws Problem why there is none; thrown in the transaction, so that a refusal commits nothing
   */
  Meeting reserve(ReservationRequest reservationRequest) {
    return turns.runLocked(
        reservationRequest.userId(),
        () -> database.transaction(tx -> reserve(tx, reservationRequest)));
  }

  /**
   * Why a scheduled bot has no place now that its time has come; call it in the transaction that
   * dispatches it. The row counts itself from its {@code start_at} on.
   */
  Optional<String> obstacle(Tx tx, BotRow row) {
    long user = row.meeting().userId();
    Optional<Integer> max = lockUser(tx, user).orElse(new UserBotLimit(Optional.of(0))).max();
    if (max.isPresent() && count(tx, user, row.id()) >= max.get()) {
      return Optional.of("bot_limit_reached");
    }
    return terms.maxLive().filter(ceiling -> fleet(tx) > ceiling).map(_ -> "fleet_limit_reached");
  }

  /**
   * Gives free places to bots of this user that wait for one, first come first served, and returns
   * their rows. Those that another transaction changes are left to it.
   */
  List<BotRow> admitQueued(long userId) {
    return turns.runLocked(userId, () -> database.transaction(tx -> admitQueued(tx, userId)));
  }

  private List<BotRow> admitQueued(Tx tx, long userId) {
    Optional<Integer> max = lockUser(tx, userId).orElse(new UserBotLimit(Optional.of(0))).max();
    long free =
        max.map(most -> most - count(tx, userId, 0)).orElse((long) terms.rules().queueMax());
    if (terms.maxLive().isPresent()) {
      free = Math.min(free, terms.maxLive().get() - fleet(tx));
    }
    if (free <= 0) {
      return List.of();
    }
    List<BotRow> admitted = BotStore.endQueue(tx, userId, free);
    journal.append(
        tx,
        admitted.stream()
            .map(
                row ->
                    BotCommandQueue.moved(
                        row,
                        row.queueTicket().map(BotQueueTicket::until),
                        row.startAt().orElseThrow(),
                        "queue"))
            .toList());
    return admitted;
  }

  /** The number of bots under the ceiling, counted under the lock. */
  private static long fleet(Tx tx) {
    int _ = fleetLock(tx).list(resultRow -> 0).size();
    return tx.sql(
            "select count(*) as bots from meetings where " + DISPATCHED + " and " + BotStore.LIVE)
        .one(resultRow -> resultRow.longAt("bots"));
  }

  private Meeting reserve(Tx tx, ReservationRequest reservationRequest) {
    boolean now = reservationRequest.startAt().isEmpty();
    Optional<Integer> fleet = now ? terms.maxLive() : Optional.empty();
    SlotSearchResult slotSearchResult = take(tx, reservationRequest, now, fleet);
    for (int tries = 1;
        tries < RoomClaims.TRIES && slotSearchResult instanceof SlotSearchResult.SlotRoomLost;
        tries++) {
      slotSearchResult = take(tx, reservationRequest, now, fleet);
    }
    return switch (slotSearchResult) {
      case SlotSearchResult.SlotTaken(Meeting meeting) -> {
        note(tx, reservationRequest, meeting);
        yield meeting;
      }
      case SlotSearchResult.SlotUserMissing _ -> throw Problem.notFound("user");
      case SlotSearchResult.SlotRoomRefused _, SlotSearchResult.SlotRoomLost _ ->
          throw rooms.refused();
      case SlotSearchResult.SlotFree slotFree ->
          throw refusal(tx, reservationRequest, slotFree, fleet);
    };
  }

  /** Why a bot gets no place. */
  private Problem refusal(
      Tx tx,
      ReservationRequest reservationRequest,
      SlotSearchResult.SlotFree slotFree,
      Optional<Integer> fleet) {
    if (slotFree.existing().isPresent()) {
      Meeting existing = meeting(tx, slotFree.existing().get());
      return Problem.conflict(
          "bot_already_there",
          "A bot of this user is in that meeting already.",
          Map.of(
              "meeting_id", existing.id(),
              "meeting_status", existing.status().wireName(),
              "meeting", Json.tree(existing)));
    }
    int queueMax = terms.rules().queueMax();
    if (reservationRequest.queueFor().isPresent() && slotFree.waiting() >= queueMax) {
      return Problem.tooMany(
          "queue_full",
          "As many as " + queueMax + " bots of this user wait for a place.",
          Duration.ofMinutes(1));
    }
    if (slotFree.overLimit()) {
      int limit = slotFree.max().get();
      return Problem.tooMany(
              "bot_limit_reached",
              "This user may have " + limit + " bots at a time.",
              Duration.ofSeconds(30))
          .with("max_concurrent_bots", limit);
    }
    int ceiling = fleet.orElseThrow(() -> new IllegalStateException("no place, and no reason why"));
    return Problem.tooMany(
        "fleet_limit_reached",
        "All " + ceiling + " places for bots are taken.",
        Duration.ofSeconds(30));
  }

  /** A user's limit; empty inside means none is set. */
  private record UserBotLimit(Optional<Integer> max) {}

  private static Query lockOf(Tx tx, long userId) {
    return tx.sql("select max_concurrent_bots from users where id = ? for update").with(userId);
  }

  private static Optional<UserBotLimit> lockUser(Tx tx, long userId) {
    return lockOf(tx, userId).first(AdmissionControl::limit);
  }

  private static UserBotLimit limit(ResultRow resultRow) {
    return new UserBotLimit(resultRow.maybeInt("max_concurrent_bots"));
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
                + BotStore.LIVE)
        .with(userId, except, terms.countStopping())
        .one(resultRow -> resultRow.longAt("bots"));
  }

  private static Query fleetLock(Tx tx) {
    return tx.sql("select pg_advisory_xact_lock(?)").with(FLEET_LOCK);
  }

  /** A place, or the reason why there is none. */
  private sealed interface SlotSearchResult {
    record SlotTaken(Meeting meeting) implements SlotSearchResult {}

    record SlotUserMissing() implements SlotSearchResult {}

    record SlotRoomRefused() implements SlotSearchResult {}

    /** Another transaction claimed the room meanwhile. */
    record SlotRoomLost() implements SlotSearchResult {}

    /** {@code waiting}: bots of the user that wait for a place, and come first. */
    record SlotFree(Optional<Long> existing, Optional<Integer> max, long bots, long waiting)
        implements SlotSearchResult {
      boolean overLimit() {
        return max.isPresent() && bots + waiting >= max.get();
      }
    }
  }

  /**
   * Locks the user's row, then checks, counts and inserts in one round trip, to hold the lock as
   * briefly as possible. The second statement sees everything committed before the lock was
   * granted.
   */
  private SlotSearchResult take(
      Tx tx, ReservationRequest reservationRequest, boolean now, Optional<Integer> fleet) {
    List<Query> together = new ArrayList<>();
    together.add(lockOf(tx, reservationRequest.userId()));
    terms.maxLive().ifPresent(_ -> together.add(fleetLock(tx)));
    together.add(place(tx, reservationRequest, now, fleet));
    return tx.queryTogether(
        together,
        batchResults -> {
          Optional<UserBotLimit> limit = batchResults.first(AdmissionControl::limit);
          if (terms.maxLive().isPresent()) {
            int _ = batchResults.list(resultRow -> 0).size();
          }
          Optional<Integer> max = now ? limit.flatMap(UserBotLimit::max) : Optional.empty();
          return batchResults
              .first(resultRow -> found(resultRow, reservationRequest, max))
              .orElseGet(SlotSearchResult.SlotUserMissing::new);
        });
  }

  private SlotSearchResult found(
      ResultRow resultRow, ReservationRequest reservationRequest, Optional<Integer> max) {
    if (resultRow.maybeLong("id").isPresent()) {
      return new SlotSearchResult.SlotTaken(Meeting.of(resultRow));
    }
    SlotSearchResult.SlotFree free =
        new SlotSearchResult.SlotFree(
            resultRow.maybeLong("existing"),
            max,
            resultRow.longAt("bots"),
            resultRow.longAt("waiting"));
    if (!RoomClaims.applyTo(reservationRequest.platform())) {
      return free;
    }
    return switch (rooms.outcome(resultRow.maybeLong("owner"), reservationRequest.userId())) {
      case OWNED -> free;
      case REFUSED -> new SlotSearchResult.SlotRoomRefused();
      case LOST_RACE ->
          resultRow.booleanAt("admitted") ? new SlotSearchResult.SlotRoomLost() : free;
    };
  }

  /**
   * Texts with a ceiling and without, with a claim of the room and without: Postgres keeps one plan
   * for all callers of a text only if no caller's own would be much cheaper, and planning costs
   * more than this statement. A refused bot claims nothing.
   */
  private Query place(
      Tx tx, ReservationRequest reservationRequest, boolean now, Optional<Integer> fleet) {
    boolean claims = RoomClaims.applyTo(reservationRequest.platform());
    List<Object> parameters =
        new ArrayList<>(
            List.of(
                now,
                reservationRequest.userId(),
                reservationRequest.platform(),
                reservationRequest.ids(),
                reservationRequest.userId(),
                reservationRequest.platform(),
                reservationRequest.ids(),
                reservationRequest.userId(),
                terms.countStopping(),
                reservationRequest.userId(),
                reservationRequest.userId(),
                fleet.orElse(1),
                reservationRequest.queueFor().isPresent(),
                terms.rules().queueMax()));
    if (claims) {
      parameters.addAll(
          rooms.parameters(
              reservationRequest.platform(),
              reservationRequest.nativeMeetingId(),
              reservationRequest.userId()));
    }
    parameters.addAll(
        List.of(
            reservationRequest.platform(),
            reservationRequest.nativeMeetingId(),
            UUID.randomUUID().toString(),
            reservationRequest.queueFor().orElse(Duration.ZERO),
            reservationRequest.startAt(),
            reservationRequest.queueFor().orElse(Duration.ZERO),
            reservationRequest.key(),
            reservationRequest.limits().maxLifetime().map(Duration::toMillis),
            reservationRequest.limits().silence().map(Duration::toMillis),
            Json.tree(reservationRequest.spec()),
            reservationRequest.data().orElseGet(() -> Json.mapper().createObjectNode())));
    return tx.sql(
            """
            with facts as materialized (
              select id as user_id,
                case when ? then max_concurrent_bots end as most,
                coalesce(
                  (select id from meetings where user_id = ? and platform = ?
                    and platform_specific_id = any(?) and LIVE limit 1),
                  (select id from meetings where user_id = ? and platform = ?
                    and meeting_key is not null and meeting_key = any(?) and LIVE limit 1))
                  as existing,
                (select count(*) from meetings where max_concurrent_bots is not null and user_id = ?
                  and (? or status <> 'stopping') and DISPATCHED and LIVE) as bots,
                (select count(*) from meetings where user_id = ? and QUEUED) as waiting,
                FLEET as fleet, clock_timestamp() as at
              from users where id = ?),
            asking as materialized (
              select user_id, at, waits from (
                select *, (bots + waiting >= most) is true or fleet >= ? as waits from facts) f
              where existing is null
                and (not waits or (? and coalesce(most, 1) > 0 and waiting < ?))),
            CLAIMING,
            taken as (
              insert into meetings
                (user_id, platform, platform_specific_id, status, connection_id, attempt, start_at,
                 queued_at, queue_until, meeting_key, max_lifetime_ms, silence_timeout_ms, bot, data)
              select user_id, ?, ?, 'reserved', ?, 1,
                case when waits then at + ? * interval '1 ms' else ?::timestamptz end,
                case when waits then at end, case when waits then at + ? * interval '1 ms' end,
                ?::text, ?::bigint, ?::bigint, ?::jsonb, ?::jsonb - 'outcome'
              from asking join owner using (user_id)
              returning COLUMNS)
            select facts.existing, facts.bots, facts.waiting, exists (select from asking) as admitted,
              (select user_id from owner) as owner, taken.*
            from facts left join taken on true
            """
                .replace("CLAIMING", claims ? RoomClaims.CLAIMING : NO_OWNERS)
                .replace("FLEET", fleet.isPresent() ? FLEET : "0")
                .replace("LIVE", BotStore.LIVE)
                .replace("QUEUED", BotStore.QUEUED)
                .replace("DISPATCHED", DISPATCHED)
                .replace("COLUMNS", Meeting.COLUMNS))
        .with(parameters.toArray());
  }

  private void note(Tx tx, ReservationRequest reservationRequest, Meeting meeting) {
    tx.commit(
        journal.entries(
            tx,
            List.of(
                new MeetingStatusChange(
                        meeting.id(),
                        reservationRequest.userId(),
                        Optional.empty(),
                        MeetingStatus.RESERVED,
                        "requested",
                        "reserved",
                        reservationRequest.actor(),
                        1)
                    .event(meeting.createdAt(), TransitionCause.NONE))));
  }
}
