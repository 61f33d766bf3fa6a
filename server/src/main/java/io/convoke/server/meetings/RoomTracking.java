package io.convoke.server.meetings;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toUnmodifiableSet;

import io.convoke.engine.journal.Journal;
import io.convoke.engine.journal.NewJournalEvent;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.ResultRow;
import io.convoke.engine.sql.Tx;
import io.convoke.server.http.Problem;
import io.convoke.server.http.QuotaCheck;
import io.convoke.server.http.QuotaName;
import io.convoke.server.rooms.RoomClaims;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tracks meetings by the rules of rooms: a visit to a room whose owner wants each visit tracked
 * begins a meeting of that owner, unless the visit belongs to a meeting of the room that is live or
 * was. One statement looks and inserts, and a unique index permits one tracked meeting of a user in
 * a room, so of many nodes that see the same visit, at any time and in any order, one begins it.
 */
public final class RoomTracking {
  private static final Logger log = LoggerFactory.getLogger(RoomTracking.class);

  /** How many of a room's latest meetings may explain a visit. */
  private static final int RECENT = 8;

  private static final String RULED =
      """
      select n.room, c.user_id
      from unnest(?::text[]) as n (room)
      cross join lateral room_claim(?, n.room) c
      where exists (select from rooms where tracks_for is not null) and c.user_id > 0
        and exists (
          select from rooms r
          where r.platform = ? and r.user_id = c.user_id and r.tracks_for = r.user_id
            and (r.room = n.room or (r.room like '%*' and starts_with(n.room, left(r.room, -1)))))
      """;

  /** How many meetings one transaction begins at most. */
  private static final int ROOMS_MAX = 100;

  /**
   * A visit is explained by a live meeting of the room, and by one that is over if that had the
   * visit's session, or if the platform counts both to one meeting of its own. Two meetings of the
   * platform are two, with the same participants too. Where clients name their ids, a visit has a
   * session of its id up to 15 s after that ended, because two clocks may differ; later it is
   * another visit. An event has an exact time, so one from before the end of the last tracked
   * meeting, or from before the room was the owner's, begins none either. A meeting begins before
   * its row, also by a visit from a clock that is ahead: presence knows it by that.
   */
  private static final String UNEXPLAINED =
      """
      with visit as (
        select * from unnest(?::text[], ?::bigint[], ?::text[], ?::timestamptz[], ?::text[])
          as v (room, user_id, session_id, joined_at, platform_session)),
      unexplained as (
        select v.room, v.user_id, least(min(v.joined_at), now() - interval '1 millisecond') as since
        from visit v cross join lateral room_claim(?, v.room) c
        where c.user_id = v.user_id and (not ? or v.joined_at >= c.opens_at)
          and not exists (
            select from meetings m
            where m.platform = ? and m.platform_specific_id = v.room
              and m.status not in ('completed', 'failed', 'error'))
          and not exists (
            select from (
              select m.id, m.user_id, m.tracked, m.end_time from meetings m
              where m.platform = ? and m.platform_specific_id = v.room
              order by m.id desc limit ?) m
            left join presence p on p.meeting_id = m.id
            where case
              when p.platform_session is not null and v.platform_session <> ''
                then p.platform_session = v.platform_session
              else exists (
                  select from participant_sessions s
                  where s.meeting_id = m.id and s.session_id = v.session_id
                    and (not ? or v.joined_at
                      <= coalesce(s.left_at, m.end_time) + interval '15 seconds'))
                or (? and m.tracked and m.user_id = v.user_id and m.end_time >= v.joined_at)
              end)
        group by v.room, v.user_id)
      """;

  /** The rooms that ask for a meeting, in the order in which meetings begin. */
  private static final String ASKING =
      UNEXPLAINED + "select room, user_id from unexplained order by room";

  /** Begins the meetings that are still asked for: another node may have begun some. */
  private static final String BEGIN =
      UNEXPLAINED
          + """
          insert into meetings
            (user_id, platform, platform_specific_id, status, start_time, tracked, data)
          select user_id, ?, room, 'active', since, true, '{}' from unexplained order by room
          on conflict (user_id, platform, platform_specific_id)
            where tracked and status = 'active' do nothing
          returning id, user_id
          """;

  private final Database database;
  private final Journal journal;
  private final QuotaCheck quotas;

  /** Meetings by rule count to the quotas of their users. */
  public RoomTracking(Database database, Journal journal, QuotaCheck quotas) {
    this.database = database;
    this.journal = journal;
    this.quotas = quotas;
  }

  /**
   * A participant in a room without a live meeting.
   *
   * @param platformSession the platform's own id of the meeting, if it told
   */
  public record RoomVisit(
      String room, String sessionId, Instant joinedAt, Optional<String> platformSession) {}

  /** How the visits became known. */
  public enum VisitSource {
    /** By events with exact times, which may be late or repeated. */
    EVENTS,
    /** By a list of who is there now, with coarse times. */
    SNAPSHOT
  }

  private record RuledRoom(String room, long userId) {}

  /** Visits to rooms with a rule, and the owners of these rooms. */
  private record RuledVisits(
      String platform, List<RoomVisit> visits, Map<String, Long> owners, VisitSource visitSource) {
    private RuledVisits to(Set<RuledRoom> rooms) {
      Set<String> names = rooms.stream().map(RuledRoom::room).collect(toUnmodifiableSet());
      return new RuledVisits(
          platform,
          visits.stream().filter(visit -> names.contains(visit.room())).toList(),
          owners,
          visitSource);
    }

    /** The parameters of {@link #UNEXPLAINED}. */
    private List<Object> parameters() {
      boolean exact = visitSource == VisitSource.EVENTS;
      return List.of(
          visits.stream().map(RoomVisit::room).toArray(String[]::new),
          visits.stream().map(visit -> owners.get(visit.room())).toArray(Long[]::new),
          visits.stream().map(RoomVisit::sessionId).toArray(String[]::new),
          visits.stream().map(RoomVisit::joinedAt).toArray(Instant[]::new),
          visits.stream().map(visit -> visit.platformSession().orElse("")).toArray(String[]::new),
          platform,
          exact,
          platform,
          platform,
          RECENT,
          reusesIds(platform),
          exact);
    }
  }

  /** Whether any room has a rule. */
  public boolean watches() {
    return database.read(
        tx ->
            tx.sql("select exists (select from rooms where tracks_for = user_id) as watches")
                .one(resultRow -> resultRow.booleanAt("watches")));
  }

  /**
   * Begins the meetings that these visits ask for. Returns the rooms that have a rule, where a
   * meeting may be live now, by this call or by another node's.
   */
  public Set<String> track(String platform, Collection<RoomVisit> visits, VisitSource visitSource) {
    if (visits.isEmpty() || !RoomClaims.applyTo(platform)) {
      return Set.of();
    }
    Map<String, Long> owners = owners(platform, visits);
    List<RoomVisit> ruled =
        visits.stream().filter(visit -> owners.containsKey(visit.room())).toList();
    if (!ruled.isEmpty()) {
      begin(new RuledVisits(platform, ruled, owners, visitSource));
    }
    return Set.copyOf(owners.keySet());
  }

  /** Begins meetings in the rooms that ask for one, as many as the quotas of their users permit. */
  private void begin(RuledVisits ruledVisits) {
    List<RuledRoom> asking =
        database.read(
            tx ->
                tx.sql(ASKING)
                    .with(ruledVisits.parameters().toArray())
                    .list(RoomTracking::ruledRoom));
    while (!asking.isEmpty()) {
      asking = beginSome(ruledVisits, asking);
    }
  }

  /**
   * Begins meetings in the first of these rooms, and returns the rooms that are left. Nodes that
   * see the same visits choose the same rooms, so that together they begin what one may.
   */
  private List<RuledRoom> beginSome(RuledVisits ruledVisits, List<RuledRoom> asking) {
    Set<RuledRoom> chosen = new HashSet<>();
    Set<Long> refused = new HashSet<>();
    asking.stream()
        .limit(ROOMS_MAX)
        .collect(groupingBy(RuledRoom::userId))
        .forEach(
            (user, rooms) -> {
              int permitted = permitted(user, rooms.size());
              boolean _ = chosen.addAll(rooms.subList(0, permitted));
              if (permitted == 0) {
                boolean _ = refused.add(user);
              }
            });
    if (!chosen.isEmpty()) {
      database.run(tx -> begin(tx, ruledVisits.to(chosen), chosen));
    }
    return asking.stream()
        .filter(room -> !chosen.contains(room) && !refused.contains(room.userId()))
        .toList();
  }

  private Map<String, Long> owners(String platform, Collection<RoomVisit> visits) {
    String[] rooms = visits.stream().map(RoomVisit::room).distinct().toArray(String[]::new);
    Map<String, Long> owners = new HashMap<>();
    database
        .read(tx -> tx.sql(RULED).with(rooms, platform, platform).list(RoomTracking::ruledRoom))
        .forEach(found -> owners.put(found.room(), found.userId()));
    return owners;
  }

  private static RuledRoom ruledRoom(ResultRow resultRow) {
    return new RuledRoom(resultRow.text("room"), resultRow.longAt("user_id"));
  }

  /** How many of the wanted meetings a user may have now: all, or else half as many, and so on. */
  private int permitted(long user, int wanted) {
    int count = permits(QuotaName.STORED_BYTES, user, 1) ? wanted : 0;
    while (count > 0 && !permits(QuotaName.MEETINGS, user, count)) {
      count /= 2;
    }
    return count;
  }

  private boolean permits(QuotaName quota, long user, int count) {
    try {
      quotas.permitMore(quota, count, user, 0);
      return true;
    } catch (Problem exceeded) {
      if (count == 1) {
        log.info("Rooms of user {} are not tracked by rule: {}", user, exceeded.getMessage());
      }
      return false;
    }
  }

  /** Locks users before the table, as admission does, and no room changes hands meanwhile. */
  private void begin(Tx tx, RuledVisits ruledVisits, Set<RuledRoom> rooms) {
    Long[] users = rooms.stream().map(RuledRoom::userId).distinct().sorted().toArray(Long[]::new);
    List<Long> _ =
        tx.sql("select id from users where id = any(?) order by id for key share")
            .with((Object) users)
            .list(resultRow -> resultRow.longAt("id"));
    int _ = tx.sql("lock table rooms in row exclusive mode").update();
    List<Object> values = new ArrayList<>(ruledVisits.parameters());
    boolean _ = values.add(ruledVisits.platform());
    List<NewJournalEvent> events =
        tx.sql(BEGIN)
            .with(values.toArray())
            .list(resultRow -> begun(resultRow.longAt("id"), resultRow.longAt("user_id")));
    if (!events.isEmpty()) {
      journal.append(tx, events);
    }
  }

  /** Whether a later connection may have the id of one that ended; presence has it alike. */
  private static boolean reusesIds(String platform) {
    return platform.equals("janus");
  }

  private static NewJournalEvent begun(long meetingId, long userId) {
    return new MeetingStatusChange(
            meetingId,
            userId,
            Optional.empty(),
            MeetingStatus.ACTIVE,
            "tracked_by_rule",
            "tracked",
            "rooms",
            1)
        .event();
  }
}
