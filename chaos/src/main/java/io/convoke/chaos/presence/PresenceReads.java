package io.convoke.chaos.presence;

import io.convoke.chaos.ApiComparisons;
import io.convoke.chaos.SqlReader;
import io.convoke.chaos.kernel.ReadBackRule.ReadBack;
import io.convoke.fakes.client.ApiClient;
import java.net.URI;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What the owner of the meetings reads in the end, beside the rows and the journal. */
final class PresenceReads {
  /** Small, so that every list has several pages. */
  private static final int PAGE = 3;

  private static final List<String> STATUSES = List.of("active", "completed", "failed");

  private static final Set<String> SOURCES = Set.of("webhook", "poll", "timer", "bulk");
  private static final Set<String> POLL_STATES =
      Set.of("idle", "needs_poll", "polling", "needs_poll_while_polling");

  private static final int READS_MAX = 5;

  private final Connection connection;

  PresenceReads(Connection connection) {
    this.connection = connection;
  }

  /** A meeting as a read shows it. */
  private record ReadMeeting(long id, String status, JsonNode fields) {}

  /** What a user reads while no meeting changes. */
  List<ReadBack> read(ApiClient user, long owner, List<URI> servers) throws SQLException {
    List<ReadBack> all = List.of();
    boolean changed = true;
    for (int i = 0; changed && i < READS_MAX; i++) {
      List<ReadMeeting> meetings = meetings(owner);
      all = read(user, owner, servers, meetings);
      changed = !meetings.equals(meetings(owner));
    }
    return all;
  }

  private List<ReadBack> read(
      ApiClient user, long owner, List<URI> servers, List<ReadMeeting> meetings)
      throws SQLException {
    ApiComparisons reads = new ApiComparisons(servers);
    for (ReadMeeting meeting : meetings) {
      String path = "/meetings/" + meeting.id();
      reads.fields(user, path, meeting.fields());
      reads.items(user, path + "/participants", sessions(meeting.id(), "true"));
      if (meeting.status().equals("active")) {
        confirmed(user, path + "/participants", reads);
      }
      reads.items(
          user, path + "/participants?active=true", sessions(meeting.id(), "left_at is null"));
      List<String> events = events("subject = 'meeting:%d'".formatted(meeting.id()));
      reads.list(user, path + "/timeline", PAGE, PresenceReads::event, events);
      reads.list(
          user, path + "/timeline?order=newest", PAGE, PresenceReads::event, events.reversed());
    }
    reads.list(
        user,
        "/meetings",
        PAGE,
        PresenceReads::listed,
        meetings.stream().map(PresenceReads::row).toList());
    for (String status : STATUSES) {
      reads.list(
          user,
          "/meetings?platform=daily&status=" + status,
          PAGE,
          PresenceReads::listed,
          meetings.stream()
              .filter(it -> it.status().equals(status))
              .map(PresenceReads::row)
              .toList());
    }
    reads.list(user, "/meetings?platform=zoom", PAGE, PresenceReads::listed, List.of());
    reads.list(
        user,
        "/events?type=meeting.status_changed",
        PAGE,
        PresenceReads::event,
        events("user_id = %d and type = 'meeting.status_changed'".formatted(owner)));
    return reads.all();
  }

  /** A live meeting was confirmed a while ago at most, and by what is told. */
  private static void confirmed(ApiClient user, String path, ApiComparisons reads) {
    JsonNode answer = reads.ask(user, api -> api.get(path)).body();
    String asOf = answer.path("as_of").asString("");
    Instant now = Instant.now();
    boolean recent =
        !asOf.isEmpty()
            && Instant.parse(asOf).isAfter(now.minus(PresenceRunConfig.bounds().freshness()))
            && Instant.parse(asOf).isBefore(now.plusSeconds(1));
    reads.compare(
        path + ": as_of " + asOf + ", source and poll_state " + answer.path("poll_state"),
        List.of("true true true"),
        List.of(
            "%s %s %s"
                .formatted(
                    recent,
                    SOURCES.contains(answer.path("source").asString("")),
                    POLL_STATES.contains(answer.path("poll_state").asString("")))));
  }

  /** Newest first. */
  private List<ReadMeeting> meetings(long owner) throws SQLException {
    return SqlReader.list(
        connection,
        """
        select id, status, jsonb_build_object('id', id, 'user_id', user_id, 'platform', platform,
          'platform_specific_id', platform_specific_id, 'status', status, 'num_clients', num_clients,
          'bot_container_id', bot_container_id, 'tracked', tracked, 'data', data,
          'start_time', %s, 'end_time', %s, 'created_at', %s)::text
        from convoke.meetings where user_id = %d order by id desc
        """
            .formatted(
                ApiComparisons.time("start_time"),
                ApiComparisons.time("end_time"),
                ApiComparisons.time("created_at"),
                owner),
        row -> new ReadMeeting(row.getLong(1), row.getString(2), json(row.getString(3))));
  }

  private List<JsonNode> sessions(long meeting, String which) throws SQLException {
    return SqlReader.list(
        connection,
        """
        select jsonb_build_object('session_id', session_id, 'user_id', user_id,
          'user_name', user_name, 'joined_at', %s, 'left_at', %s)::text
        from convoke.participant_sessions where meeting_id = %d and %s
        order by joined_at, session_id
        """
            .formatted(
                ApiComparisons.time("joined_at"), ApiComparisons.time("left_at"), meeting, which),
        row -> json(row.getString(1)));
  }

  private List<String> events(String which) throws SQLException {
    return SqlReader.list(
        connection,
        "select seq, type, data::text from convoke.events where " + which + " order by seq",
        row -> event(row.getLong(1), row.getString(2), json(row.getString(3))));
  }

  private static String event(JsonNode item) {
    return event(item.path("seq").asLong(), item.path("type").asString(""), item.path("data"));
  }

  private static String event(long seq, String type, JsonNode data) {
    return seq + " " + type + " " + ApiComparisons.text(data);
  }

  private static String row(ReadMeeting meeting) {
    return listed(meeting.fields());
  }

  private static String listed(JsonNode meeting) {
    return "%s %s %s %s"
        .formatted(
            meeting.path("id"),
            meeting.path("platform_specific_id"),
            meeting.path("status"),
            meeting.path("num_clients"));
  }

  private static JsonNode json(String text) {
    return JsonMapper.shared().readTree(text);
  }
}
