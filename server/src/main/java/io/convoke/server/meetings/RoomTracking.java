package io.convoke.server.meetings;

import static java.util.stream.Collectors.toUnmodifiableSet;

import io.convoke.engine.journal.Journal;
import io.convoke.engine.journal.NewJournalEvent;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Tx;
import io.convoke.server.http.Problem;
import io.convoke.server.http.QuotaCheck;
import io.convoke.server.http.QuotaName;
import io.convoke.server.rooms.RoomClaims;
import java.time.Instant;
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

  /**
   * A visit is explained by a live meeting of the room, and by one that is over if that had the
   * visit's session, or if the platform counts both to one meeting of its own. Two meetings of the
   * platform are two, with the same participants too. Where clients name their ids, a visit has a
   * session of its id up to 15 s after that ended, because two clocks may differ; later it is
   * another visit. An event has an exact time, so one from before the end of the last tracked
   * meeting, or from before the room was the owner's, begins none either. A meeting begins before
   * its row, also by a visit from a clock that is ahead: presence knows it by that. Of each user
   * one room is chosen, because each meeting counts to the quota; another node may have begun its
   * meeting meanwhile.
   */
  private static final String BEGIN =
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
        group by v.room, v.user_id),
      chosen as (
        select distinct on (user_id) room, user_id, since from unexplained order by user_id, room),
      begun as (
        insert into meetings
          (user_id, platform, platform_specific_id, status, start_time, tracked, data)
        select user_id, ?, room, 'active', since, true, '{}' from chosen order by room
        on conflict (user_id, platform, platform_specific_id)
          where tracked and status = 'active' do nothing
        returning id, user_id)
      select c.room, c.user_id, b.id from chosen c left join begun b on b.user_id = c.user_id
      order by c.room
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

  /**
   * A room whose visit asked for a meeting.
   *
   * @param meetingId absent if another node began it
   */
  private record BegunRoom(String room, long userId, Optional<Long> meetingId) {}

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
    Set<String> ruled = Set.copyOf(owners.keySet());
    for (int round = 0; round < visits.size() && !owners.isEmpty(); round++) {
      beginSome(platform, visits, owners, visitSource);
    }
    return ruled;
  }

  /** Begins one meeting of each user at most, and leaves the rooms that may begin another one. */
  private void beginSome(
      String platform,
      Collection<RoomVisit> visits,
      Map<String, Long> owners,
      VisitSource visitSource) {
    Set<Long> users = new HashSet<>(owners.values());
    boolean _ = users.removeIf(user -> !permitted(user));
    boolean _ = owners.values().retainAll(users);
    List<RoomVisit> asking =
        visits.stream().filter(visit -> owners.containsKey(visit.room())).toList();
    if (asking.isEmpty()) {
      return;
    }
    List<BegunRoom> begun =
        database.transaction(tx -> begin(tx, platform, asking, owners, visitSource));
    boolean _ =
        owners
            .values()
            .retainAll(begun.stream().map(BegunRoom::userId).collect(toUnmodifiableSet()));
    begun.forEach(room -> owners.remove(room.room()));
  }

  private Map<String, Long> owners(String platform, Collection<RoomVisit> visits) {
    String[] rooms = visits.stream().map(RoomVisit::room).distinct().toArray(String[]::new);
    Map<String, Long> owners = new HashMap<>();
    database
        .read(
            tx ->
                tx.sql(RULED)
                    .with(rooms, platform, platform)
                    .list(
                        resultRow ->
                            new RuledRoom(resultRow.text("room"), resultRow.longAt("user_id"))))
        .forEach(found -> owners.put(found.room(), found.userId()));
    return owners;
  }

  private boolean permitted(long user) {
    try {
      quotas.permitOneMore(QuotaName.MEETINGS, user, 0);
      quotas.permitOneMore(QuotaName.STORED_BYTES, user, 0);
      return true;
    } catch (Problem exceeded) {
      log.info("Rooms of user {} are not tracked by rule: {}", user, exceeded.getMessage());
      return false;
    }
  }

  /** Locks users before the table, as admission does, and no room changes hands meanwhile. */
  private List<BegunRoom> begin(
      Tx tx,
      String platform,
      List<RoomVisit> visits,
      Map<String, Long> owners,
      VisitSource visitSource) {
    List<Long> users = owners.values().stream().distinct().sorted().toList();
    List<Long> _ =
        tx.sql("select id from users where id = any(?) order by id for key share")
            .with((Object) users.toArray(Long[]::new))
            .list(resultRow -> resultRow.longAt("id"));
    int _ = tx.sql("lock table rooms in row exclusive mode").update();
    boolean exact = visitSource == VisitSource.EVENTS;
    List<BegunRoom> rooms =
        tx.sql(BEGIN)
            .with(
                visits.stream().map(RoomVisit::room).toArray(String[]::new),
                visits.stream().map(visit -> owners.get(visit.room())).toArray(Long[]::new),
                visits.stream().map(RoomVisit::sessionId).toArray(String[]::new),
                visits.stream().map(RoomVisit::joinedAt).toArray(Instant[]::new),
                visits.stream()
                    .map(visit -> visit.platformSession().orElse(""))
                    .toArray(String[]::new),
                platform,
                exact,
                platform,
                platform,
                RECENT,
                reusesIds(platform),
                exact,
                platform)
            .list(
                resultRow ->
                    new BegunRoom(
                        resultRow.text("room"),
                        resultRow.longAt("user_id"),
                        resultRow.maybeLong("id")));
    List<NewJournalEvent> events =
        rooms.stream()
            .flatMap(room -> room.meetingId().map(id -> begun(id, room.userId())).stream())
            .toList();
    if (!events.isEmpty()) {
      journal.append(tx, events);
    }
    return rooms;
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
