package io.convoke.server.presence;

import io.convoke.engine.redis.LuaScript;
import io.convoke.engine.redis.Redis;
import io.convoke.engine.redis.RedisUnavailable;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.ResultRow;
import io.convoke.server.http.ApiScope;
import io.convoke.server.http.CallerRole;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.Problem;
import io.convoke.server.http.Request;
import io.convoke.server.http.Response;
import io.convoke.server.http.Schema;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Lists the present and past participants of a meeting, with the time of the last confirmation and
 * the poll state.
 */
final class ParticipantsEndpoint {
  private static final LuaScript STATE =
      LuaScript.resource(ParticipantsEndpoint.class, "state.lua");

  /** Sessions in one response; the newest if there are more. */
  private static final int MAX_ITEMS = 5000;

  private final Database database;
  private final Redis redis;

  ParticipantsEndpoint(Database database, Redis redis) {
    this.database = database;
    this.redis = redis;
  }

  /**
   * The poll state of a meeting; the last one is a request that arrived during a poll ({@code
   * presence-11}).
   */
  enum PollState {
    IDLE,
    NEEDS_POLL,
    POLLING,
    NEEDS_POLL_WHILE_POLLING;

    static PollState of(boolean needed, boolean polling) {
      return polling ? (needed ? NEEDS_POLL_WHILE_POLLING : POLLING) : (needed ? NEEDS_POLL : IDLE);
    }
  }

  /** One session. */
  record ParticipantView(
      String sessionId,
      Optional<String> userId,
      Optional<String> userName,
      Instant joinedAt,
      Optional<Instant> leftAt) {}

  /**
   * The response.
   *
   * @param asOf the time up to which the sessions are confirmed; empty before the first
   *     confirmation
   * @param source what confirmed it: webhook, bot, poll, timer or bulk
   */
  record ParticipantsView(
      long meetingId,
      int numClients,
      Optional<Instant> asOf,
      Optional<String> source,
      PollState pollState,
      List<ParticipantView> items) {}

  private record ParticipantRow(
      long owner,
      int numClients,
      Optional<Instant> asOf,
      Optional<String> source,
      Optional<ParticipantView> item) {}

  Endpoint endpoint() {
    return Endpoint.get("/meetings/{id}/participants")
        .id("listParticipants")
        .tag("meetings")
        .summary("List the present and past participants of a meeting.")
        .roles(CallerRole.USER)
        .scope(ApiScope.MEETINGS)
        .query("active", Schema.bool().describe("True: only the present participants."))
        .answers(200, Schema.of(ParticipantsView.class))
        .handle(this::list);
  }

  private Response list(Request request) {
    long meeting = request.pathId("id");
    boolean active = request.query("active").filter("true"::equals).isPresent();
    List<ParticipantRow> lines = lines(meeting, active);
    if (lines.isEmpty() || !request.sees(lines.getFirst().owner())) {
      throw Problem.notFound("meeting");
    }
    ParticipantRow first = lines.getFirst();
    return Response.ok(
        new ParticipantsView(
            meeting,
            first.numClients(),
            first.asOf(),
            first.source(),
            pollState(meeting),
            lines.stream().flatMap(participantRow -> participantRow.item().stream()).toList()));
  }

  /** Reads the count and the sessions in one statement, so that they are consistent. */
  private List<ParticipantRow> lines(long meeting, boolean active) {
    return database.read(
        tx ->
            tx.sql(
                    """
                    select m.user_id as owner, m.num_clients, p.as_of, p.source, s.session_id,
                           s.user_id, s.user_name, s.joined_at, s.left_at
                    from meetings m
                    left join presence p on p.meeting_id = m.id
                    left join lateral (
                      select * from participant_sessions
                      where meeting_id = m.id and (left_at is null or not ?)
                      order by joined_at desc, session_id limit ?
                    ) s on true
                    where m.id = ?
                    order by s.joined_at, s.session_id
                    """)
                .with(active, MAX_ITEMS, meeting)
                .list(ParticipantsEndpoint::line));
  }

  private static ParticipantRow line(ResultRow resultRow) {
    return new ParticipantRow(
        resultRow.longAt("owner"),
        resultRow.intAt("num_clients"),
        resultRow.maybeInstant("as_of"),
        resultRow.maybeText("source"),
        resultRow
            .maybeText("session_id")
            .map(
                id ->
                    new ParticipantView(
                        id,
                        resultRow.maybeText("user_id"),
                        resultRow.maybeText("user_name"),
                        resultRow.instant("joined_at"),
                        resultRow.maybeInstant("left_at"))));
  }

  /**
   * The poll state from Redis; {@code NEEDS_POLL} while Redis is unreachable, because all live
   * meetings are then polled from the due list in Postgres.
   */
  private PollState pollState(long meeting) {
    try {
      Object answer =
          redis.eval(
              STATE,
              List.of(
                  PresenceKeys.flag(meeting),
                  PresenceKeys.pollLock(meeting),
                  PresenceKeys.state(meeting)),
              List.of());
      return answer instanceof List<?> state
          ? PollState.of(state.get(0).equals(1L), state.get(1).equals(1L))
          : PollState.IDLE;
    } catch (RedisUnavailable away) {
      return PollState.NEEDS_POLL;
    }
  }
}
