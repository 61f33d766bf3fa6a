package io.convoke.chaos.presence;

import io.convoke.chaos.ApiComparisons;
import io.convoke.chaos.ReportingBot;
import io.convoke.chaos.kernel.ReadBackRule.ReadBack;
import io.convoke.fakes.client.ApiClient;
import io.convoke.fakes.client.ApiReply;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;

/**
 * A room of a platform that does not tell who is there: a bot reports it, and another one after it.
 * What they have reported is shown from its answer on, in their meetings and in one that their user
 * tracks there; and nothing of it in one that another user tracks.
 */
final class BotReportedRoom {
  private static final String PLATFORM = "google_meet";

  /** One of three reports is a leave, one of four has all people. */
  private static final int LEAVE_EVERY = 3;

  private static final int ALL_EVERY = 4;

  /** One who left is back with the same session; two reports of a join are not so far apart. */
  private static final Duration AWAY = Duration.ofMillis(2300);

  /** Between a person's session and "again" in the key of a visit with the same session. */
  private static final String AGAIN = "#";

  private final String room;
  private final ApiClient.CreatedUser owner;
  private final ApiClient.CreatedUser stranger;
  private final ReportingBot bot;
  private final ApiComparisons looks;
  private final long tracked;

  /** The meeting that another user tracks in the room. */
  private final long untold;

  /** By session; one who comes back has a key that begins with it. */
  private final Map<String, ReportedVisit> visits = new TreeMap<>();

  /** When the bot that is there came: what is older was another's report. */
  private Instant came = Instant.EPOCH;

  private int reports;

  /** A visit as the bot reports it, to the millisecond. */
  private record ReportedVisit(Instant joined, Optional<Instant> left) {}

  BotReportedRoom(ApiClient admin, long seed, ReportingBot bot, List<URI> servers) {
    this.room = "abc-defg-" + (char) ('a' + seed % 20) + "ij";
    this.owner = admin.newUser("reported@example.com", 1);
    this.stranger = admin.newUser("beside@example.com", 1);
    this.bot = bot;
    this.looks = new ApiComparisons(servers);
    this.tracked = owner.api().track(PLATFORM, room);
    this.untold = stranger.api().track(PLATFORM, room);
  }

  /** A bot comes, when there are no faults. */
  void open() {
    came = Instant.now();
    bot.join(owner.api(), Map.of("platform", PLATFORM, "native_meeting_id", room));
    join("bot-" + reports);
  }

  /** Reports that one more has come, one has left, or that one is back; and compares. */
  void report() {
    List<String> present = present();
    if (reports % LEAVE_EVERY == LEAVE_EVERY - 1 && present.size() > 1) {
      leave(present.getLast());
    } else {
      Optional<String> back = reports % LEAVE_EVERY == 1 ? gone() : Optional.empty();
      join(back.map(key -> key + AGAIN).orElse("guest-" + reports));
    }
  }

  /** The bot leaves; the last visits end with it. */
  void close() {
    bot.exit(0);
    String end = "GET /meetings/" + bot.meeting();
    ApiReply over = looks.ask(owner.api(), api -> api.get("/meetings/" + bot.meeting()));
    looks.compare(end, "completed", over.body().path("status").asString(""));
    Instant left = Instant.parse(over.body().path("end_time").asString("1970-01-01T00:00:00Z"));
    present().forEach(key -> visits.computeIfPresent(key, (_, visit) -> left(visit, left)));
    for (long meeting : List.of(bot.meeting(), tracked)) {
      looks.soon(owner.api(), participants(meeting), shown(meeting), BotReportedRoom::visits);
    }
  }

  /** Another bot comes once the first has left, and leaves too. */
  void again() {
    open();
    close();
  }

  /** What was compared. */
  List<ReadBack> compared() {
    return looks.all();
  }

  private static ReportedVisit left(ReportedVisit visit, Instant at) {
    return new ReportedVisit(visit.joined(), Optional.of(at));
  }

  private void join(String key) {
    Instant now = Instant.now().truncatedTo(ChronoUnit.MILLIS);
    ReportedVisit _ = visits.put(key, new ReportedVisit(now, Optional.empty()));
    tell(key, "joined", now);
  }

  private void leave(String key) {
    Instant now = Instant.now().truncatedTo(ChronoUnit.MILLIS);
    visits.computeIfPresent(key, (_, visit) -> left(visit, now));
    tell(key, "left", now);
  }

  private void tell(String key, String type, Instant at) {
    Map<String, Object> event = new HashMap<>(person(key));
    event.put("id", room + "-" + reports);
    event.put("type", type);
    event.put("at", at.toString());
    Map<String, Object> body = new HashMap<>(Map.of("events", List.of(event)));
    if (reports % ALL_EVERY == ALL_EVERY - 1) {
      List<Map<String, Object>> people = new ArrayList<>();
      present().forEach(one -> people.add(person(one)));
      body.put("everybody", Map.of("at", at.toString(), "participants", people));
    }
    reports++;
    bot.call("participants", body);
    for (long meeting : List.of(bot.meeting(), tracked)) {
      looks.object(owner.api(), participants(meeting), shown(meeting), BotReportedRoom::visits);
    }
    looks.object(stranger.api(), participants(untold), "0 []", BotReportedRoom::visits);
  }

  private Map<String, Object> person(String key) {
    Instant joined =
        visits.getOrDefault(key, new ReportedVisit(Instant.EPOCH, Optional.empty())).joined();
    String session = session(key);
    return Map.of(
        "session_id",
        session,
        "user_id",
        "id-" + session,
        "user_name",
        "Name of " + session,
        "joined_at",
        joined.toString());
  }

  private static String session(String key) {
    return key.replace(AGAIN, "");
  }

  /** One who has been away for long enough. */
  private Optional<String> gone() {
    Instant before = Instant.now().minus(AWAY);
    return visits.entrySet().stream()
        .filter(visit -> visit.getValue().left().filter(before::isAfter).isPresent())
        .map(Map.Entry::getKey)
        .filter(key -> !visits.containsKey(key + AGAIN))
        .findFirst();
  }

  private List<String> present() {
    return visits.entrySet().stream()
        .filter(visit -> visit.getValue().left().isEmpty())
        .map(Map.Entry::getKey)
        .toList();
  }

  private static String participants(long meeting) {
    return "/meetings/" + meeting + "/participants";
  }

  /** What a meeting shows: the tracked one the reports of all bots, another those of its bot. */
  private String shown(long meeting) {
    Instant from = meeting == tracked ? Instant.EPOCH : came;
    return present().size()
        + " "
        + visits.entrySet().stream()
            .filter(visit -> visit.getValue().joined().isAfter(from))
            .map(
                visit ->
                    text(
                        session(visit.getKey()),
                        "id-" + session(visit.getKey()),
                        "Name of " + session(visit.getKey()),
                        visit.getValue().joined().toString(),
                        visit.getValue().left().map(Instant::toString).orElse("")))
            .sorted()
            .toList();
  }

  private static String visits(JsonNode body) {
    return body.path("num_clients").asInt(-1)
        + " "
        + body.path("items")
            .valueStream()
            .map(
                item ->
                    text(
                        item.path("session_id").asString(""),
                        item.path("user_id").asString(""),
                        item.path("user_name").asString(""),
                        time(item.path("joined_at")),
                        time(item.path("left_at"))))
            .sorted()
            .toList();
  }

  private static String time(JsonNode value) {
    return value.isNull() ? "" : Instant.parse(value.asString("")).toString();
  }

  private static String text(String session, String user, String name, String from, String to) {
    return session + " " + user + " " + name + " " + from + " " + to;
  }
}
