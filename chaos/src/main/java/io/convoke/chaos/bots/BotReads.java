package io.convoke.chaos.bots;

import io.convoke.chaos.ApiComparisons;
import io.convoke.chaos.bots.rules.BotHistory.BotEndState;
import io.convoke.chaos.bots.rules.BotHistory.CommandExchange;
import io.convoke.fakes.client.ApiClient;
import java.net.URI;
import java.sql.SQLException;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/** Looks at everything that servers show of bots, once all have ended and no fault is left. */
final class BotReads {
  private static final int PAGE = 7;
  private static final int EACH = 6;

  /** Who is responsible for the ends that bots of this scenario have. */
  private static final Map<String, String> RESPONSIBLE =
      Map.ofEntries(
          Map.entry("stopped", "user"),
          Map.entry("stop_unheeded", "user"),
          Map.entry("no_one_joined", "host"),
          Map.entry("everyone_left", "host"),
          Map.entry("left_alone", "host"),
          Map.entry("meeting_ended", "host"),
          Map.entry("not_admitted", "host"),
          Map.entry("waiting_room_timeout", "host"),
          Map.entry("never_started", "us"),
          Map.entry("start_failed", "us"),
          Map.entry("join_timeout", "us"),
          Map.entry("heartbeat_lost", "us"),
          Map.entry("leave_timeout", "us"),
          Map.entry("crashed", "us"),
          Map.entry("vanished", "us"));

  private final ApiComparisons looks;
  private final BotRows rows;
  private final List<ApiClient.CreatedUser> users;
  private final ApiClient admin;
  private final URI server;

  BotReads(
      ApiComparisons looks,
      BotRows rows,
      List<ApiClient.CreatedUser> users,
      ApiClient admin,
      URI server) {
    this.looks = looks;
    this.rows = rows;
    this.users = users;
    this.admin = admin;
    this.server = server;
  }

  /** A field as text; {@code -} for null. */
  static String text(JsonNode node, String field) {
    JsonNode value = node.path(field);
    return value.isNull() || value.isMissingNode() ? "-" : value.asString(value.toString());
  }

  /** Reads all. */
  void read() throws SQLException {
    looks.compare("bots whose times differ from the journal", "[]", rows.wrongTimes());
    looks.compare("stopped bots that ended for another reason", "[]", rows.wrongReasons());
    looks.compare("events of another user than their meeting's", "[]", rows.wrongEvents());
    rows.reasons()
        .forEach(
            (reason, responsible) ->
                looks.compare(
                    "who is responsible for " + reason,
                    RESPONSIBLE.getOrDefault(reason, responsible),
                    responsible));
    Map<Long, String> statuses = rows.statuses();
    Map<Long, String> meetings = rows.meetings();
    Map<Long, String> texts = rows.transcripts();
    List<BotEndState> bots = rows.bots();
    for (ApiClient.CreatedUser user : users) {
      List<BotEndState> own = bots.stream().filter(bot -> bot.userId() == user.id()).toList();
      own.stream().findFirst().ifPresent(bot -> describe(user.api(), bot));
      String mine = "not tracked and user_id = " + user.id();
      looks.list(
          user.api(), "/bots/status", PAGE, ApiComparisons.text("meeting_id"), rows.ids(mine));
      looks.list(
          user.api(), "/bots/status?live=true", PAGE, ApiComparisons.text("meeting_id"), List.of());
      looks.list(user.api(), "/bots/active", PAGE, ApiComparisons.text("id"), List.of());
      for (String status : List.of("completed", "failed", "active")) {
        String these = mine + " and status = '" + status + "'";
        looks.list(
            user.api(),
            "/meetings?status=" + status,
            PAGE,
            ApiComparisons.text("id"),
            rows.ids(these));
      }
      looks.list(user.api(), "/meetings?platform=zoom", PAGE, ApiComparisons.text("id"), List.of());
      for (BotEndState bot : own.subList(0, Math.min(EACH, own.size()))) {
        String id = Long.toString(bot.meetingId());
        String status = statuses.getOrDefault(bot.meetingId(), "");
        looks.object(user.api(), "/bots/status?meeting_id=" + id, status, BotReads::status);
        looks.object(
            user.api(),
            "/meetings/" + id,
            meetings.getOrDefault(bot.meetingId(), ""),
            BotReads::meeting);
        looks.object(
            user.api(),
            "/transcripts/" + id,
            texts.getOrDefault(bot.meetingId(), "[]"),
            BotReads::transcript);
        looks.list(
            user.api(),
            "/meetings/" + id + "/timeline",
            PAGE,
            ApiComparisons.text("seq"),
            rows.timeline(id));
        looks.object(
            user.api(), "/events?limit=200&subject=meeting:" + id, rows.events(id), BotReads::seqs);
      }
    }
  }

  /**
   * Bots with a lifetime that were let in end by it, and bots whose user has as many as allowed at
   * their time fail with that limit as their reason.
   */
  void ended(List<Long> lived, Set<Long> withoutPlace) throws SQLException {
    for (BotEndState bot : rows.bots()) {
      if (lived.contains(bot.meetingId()) && bot.admittedAt().isPresent()) {
        looks.compare("the end of a bot with a lifetime", "max_lifetime", bot.reason().orElse(""));
      }
      if (withoutPlace.contains(bot.meetingId())) {
        looks.compare(
            "the end of a bot without a place at its time",
            "failed bot_limit_reached",
            bot.status() + " " + bot.reason().orElse(""));
      }
    }
  }

  /** Commands that bots have acknowledged are told once, and wait no more. */
  void acknowledged(List<CommandExchange> exchanges) throws SQLException {
    List<String> events = rows.acknowledged();
    Set<String> once = new HashSet<>();
    looks.compare(
        "commands acknowledged twice",
        "[]",
        events.stream().filter(command -> !once.add(command)).toList());
    looks.compare(
        "acknowledged commands without an event",
        "[]",
        exchanges.stream()
            .filter(exchange -> exchange.commands().isPresent())
            .flatMap(exchange -> exchange.acknowledged().stream())
            .filter(command -> !once.contains(command))
            .toList());
  }

  /** Requests about bots that have ended, or that belong to another, and wrong ones. */
  void requests() throws SQLException {
    List<BotEndState> bots = rows.bots();
    for (ApiClient.CreatedUser user : users) {
      bots.stream()
          .filter(bot -> bot.userId() == user.id() && !BotFeatures.SHARED.containsValue(bot.room()))
          .findFirst()
          .ifPresent(bot -> over(user.api(), bot));
      bots.stream()
          .filter(bot -> bot.userId() != user.id())
          .findFirst()
          .ifPresent(bot -> foreign(user.api(), bot.meetingId()));
    }
    ApiClient user = users.getFirst().api();
    Map<String, Object> start = new HashMap<>(Map.of("platform", "daily"));
    looks.post(user, "/bots/start", start, "400");
    start.put("native_meeting_id", "elsewhere");
    start.put("meeting_url", "https://example.com/elsewhere");
    looks.post(user, "/bots/start", start, "400");
    start.put("platform", "fax");
    looks.post(user, "/bots/start", start, "400");
    looks.post(user, "/bots/stop", Map.of("meeting_id", 999_999), "404");
    looks.get(user, "/bots/active?limit=0", "400");
    looks.get(user, "/meetings?status=sleeping", "400");
    looks.get(ApiClient.user(server, "wrong"), "/bots/active", "401");
    looks.post(user, "/bots/" + bots.getFirst().meetingId() + "/abandon", Map.of(), "403");
    looks.get(admin, "/bots/status?meeting_id=" + bots.getFirst().meetingId(), "200");
  }

  private void over(ApiClient user, BotEndState bot) {
    Map<String, ?> which = Map.of("meeting_id", bot.meetingId());
    looks.post(user, "/bots/stop", which, "202");
    String talk = "/bots/daily/" + bot.room();
    looks.post(user, talk + "/speak", Map.of("text", "Too late."), "409 meeting_over");
    looks.post(user, talk + "/chat", Map.of("text", "Too late."), "409 meeting_over");
    put(user, "/bots/config", which, Map.of("language", "de"), "409 meeting_over");
    put(user, "/bots/config", which, Map.of(), "400");
    String soon = Instant.now().plusSeconds(60).toString();
    put(user, "/bots/schedule", which, Map.of("start_at", soon), "409 not_scheduled");
    put(user, "/bots/schedule", which, Map.of("start_at", "2020-01-01T00:00:00Z"), "400");
  }

  /** A user's own data is replaced, and the outcome stays. */
  private void describe(ApiClient user, BotEndState bot) {
    Map<String, ?> data = Map.of("data", Map.of(BotUsers.NOTE, bot.room(), "outcome", "mine"));
    String path = "/meetings/" + bot.meetingId();
    looks.answer(user, "PATCH " + path, "200", api -> api.patch(path, data));
  }

  private void foreign(ApiClient user, long meeting) {
    Map<String, ?> which = Map.of("meeting_id", meeting);
    looks.post(user, "/bots/stop", which, "404");
    put(user, "/bots/config", which, Map.of("language", "de"), "404");
    looks.get(user, "/bots/status?meeting_id=" + meeting, "404");
  }

  private void put(
      ApiClient user, String path, Map<String, ?> which, Map<String, ?> more, String expected) {
    Map<String, Object> body = new HashMap<>(which);
    body.putAll(more);
    looks.answer(user, "PUT " + path + " " + body, expected, api -> api.put(path, body));
  }

  private static String status(JsonNode body) {
    return String.join(
        " ",
        text(body, "status"),
        text(body, "session_uid"),
        text(body, "attempt"),
        text(body, "desired"),
        text(body, "deadline"),
        text(body, "owner"),
        body.path("pending_commands")
            .valueStream()
            .map(command -> text(command, "id"))
            .toList()
            .toString());
  }

  private static String meeting(JsonNode body) {
    JsonNode outcome = body.path("data").path("outcome");
    return String.join(
        " ",
        text(body, "user_id"),
        text(body, "platform"),
        text(body, "platform_specific_id"),
        text(body, "status"),
        text(body, "start_time"),
        text(body, "end_time"),
        text(body, "bot_container_id"),
        text(body.path("data"), BotUsers.NOTE),
        text(outcome, "reason"),
        text(outcome, "attribution"),
        text(outcome, "exit_code"),
        text(outcome, "stage"));
  }

  private static String seqs(JsonNode body) {
    return body.path("items").valueStream().map(event -> text(event, "seq")).toList().toString();
  }

  private static String transcript(JsonNode body) {
    return body.path("segments")
        .valueStream()
        .map(segment -> text(segment, "text"))
        .sorted()
        .toList()
        .toString();
  }

  /** What a launched bot is told, where its request says it. */
  void launched(List<BotLaunches.LaunchedBot> launches, long talker) throws SQLException {
    Map<Long, BotEndState> bots = new HashMap<>();
    rows.bots().forEach(bot -> bots.put(bot.meetingId(), bot));
    for (BotLaunches.LaunchedBot launch : launches) {
      looks.compare("variables of a bot beside its own", "", launch.variables());
      BotEndState bot = bots.get(launch.meetingId());
      if (bot != null) {
        String settings = bot.userId() == talker ? "Scribe en transcribe" : "Convoke - transcribe";
        looks.compare(
            "BOT_CONFIG of bot " + bot.meetingId(),
            "%s daily %s %s %d %d %d %d"
                .formatted(
                    bot.connectionId(),
                    bot.room(),
                    settings,
                    BotRunConfig.HEARTBEAT.toSeconds(),
                    BotRunConfig.LOBBY.toSeconds(),
                    BotRunConfig.ALONE.toSeconds(),
                    BotRunConfig.ALONE.toSeconds()),
            launch.text());
      }
    }
  }
}
