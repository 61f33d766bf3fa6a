package io.convoke.chaos.bots;

import io.convoke.chaos.ApiComparisons;
import io.convoke.chaos.bots.rules.BotHistory.BotAnswer;
import io.convoke.chaos.bots.rules.BotHistory.GivenCommand;
import io.convoke.fakes.client.ApiClient;
import io.convoke.fakes.client.ApiReply;
import io.convoke.simulator.Simulator;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/**
 * What one user does with bots besides starting and stopping them: changes of settings, speech,
 * messages, and times to start. This user's limit is never reached.
 */
final class BotFeatures {
  /** Settings of every bot of this user; others have none. */
  static final Map<String, String> SETTINGS =
      Map.of("bot_name", "Scribe", "language", "en", "task", "transcribe");

  /** An open meeting of a platform whose meetings have no owners. */
  static final Map<String, String> SHARED =
      Map.of("platform", "google_meet", "native_meeting_id", "abc-open-xyz");

  /** States before a bot is in its meeting. */
  private static final Set<String> BEFORE = Set.of("", "reserved", "starting");

  private static final Duration JOINS_MAX = Duration.ofSeconds(40);
  private static final Duration LOOK_EVERY = Duration.ofMillis(250);
  private static final Duration LATER = Duration.ofMinutes(1);
  private static final Duration LATE = BotRunConfig.DEADLINES.reserved().plusSeconds(6);
  private static final Duration EARLIER = Duration.ofSeconds(3);
  private static final Duration STARTS = Duration.ofSeconds(8);
  private static final Duration LIFE = Duration.ofSeconds(5);

  private final ApiComparisons looks;
  private final ApiClient.CreatedUser user;
  private final Simulator platform;
  private final List<GivenCommand> given = new CopyOnWriteArrayList<>();
  private final Map<Long, Instant> starts = new ConcurrentHashMap<>();
  private final Map<String, Instant> late = new ConcurrentHashMap<>();
  private final Map<Long, Long> queued = new ConcurrentHashMap<>();
  private final List<BotAnswer> reads = new CopyOnWriteArrayList<>();
  private final List<Long> lived = new CopyOnWriteArrayList<>();
  private final Set<Long> withoutPlace = ConcurrentHashMap.newKeySet();

  BotFeatures(ApiComparisons looks, ApiClient.CreatedUser user, Simulator platform) {
    this.looks = looks;
    this.user = user;
    this.platform = platform;
  }

  /** Commands that were accepted. */
  List<GivenCommand> given() {
    return List.copyOf(given);
  }

  /** Times at which bots are to start, by meeting. */
  Map<Long, Instant> starts() {
    return Map.copyOf(starts);
  }

  /** Starts a bot, and gives it commands once it is in its meeting. */
  void talk(String room) {
    Instant end = Instant.now().plus(JOINS_MAX);
    long meeting;
    String status;
    // Another one is started if it ends before it comes, as while Postgres is away.
    do {
      meeting = start(room, Map.of());
      status = "reserved";
      while (BEFORE.contains(status) && Instant.now().isBefore(end)) {
        LockSupport.parkNanos(LOOK_EVERY.toNanos());
        status = status(meeting).path("status").asString("");
      }
    } while (status.equals("failed") && Instant.now().isBefore(end));
    if (BEFORE.contains(status)) {
      // It would be launched with the settings that it is given now.
      return;
    }
    String path = "/bots/daily/" + room;
    change(meeting, Map.of("language", "de"));
    tell(meeting, path + "/speak", "Good morning.");
    change(meeting, Map.of("language", "fr", "task", "translate"));
    tell(meeting, path + "/chat", "The notes follow.");
  }

  /** Starts a bot that may live for so long only; no user stops it. */
  void live(String room) {
    Map<String, Object> leaves = new HashMap<>(BotUsers.LEAVES);
    leaves.put("max_lifetime", LIFE.toSeconds());
    lived.add(start(room, Map.of("automatic_leave", leaves)));
  }

  /**
   * Starts a bot and two others that wait for its place one after the other, since this user may
   * have one; the first is stopped.
   */
  void queue(ApiClient narrow, String room, String next, String last) {
    Map<String, Object> body = new HashMap<>(BotUsers.start(platform, room));
    long first = id(looks.ask(narrow, api -> api.post("/bots/start", body)));
    Instant accepted = Instant.now();
    body.putAll(BotUsers.start(platform, next));
    body.put("queue", true);
    ApiReply reply = looks.ask(narrow, api -> api.post("/bots/start", body));
    long second = id(reply);
    // The first may have ended if this took long.
    if (reply.status() == 201 && Instant.now().isBefore(accepted.plus(STARTS))) {
      looks.compare(
          "the answer to a start that waits",
          "reserved queued",
          BotReads.text(reply.body(), "status") + " " + BotReads.text(reply.body(), "substatus"));
    }
    queued.put(second, first);
    body.putAll(BotUsers.start(platform, last));
    queued.put(id(looks.ask(narrow, api -> api.post("/bots/start", body))), second);
    LockSupport.parkNanos(EARLIER.toNanos());
    ApiReply stop = looks.ask(narrow, api -> api.post("/bots/stop", Map.of("meeting_id", first)));
    looks.compare("the stop of a bot with a queue", 202, stop.status());
  }

  /** The meeting of an answer: of the new bot, or of the one that a lost answer left. */
  private static long id(ApiReply reply) {
    return reply.body().path(reply.ok() ? "id" : "meeting_id").asLong(0);
  }

  /** Bots that waited for a place, each with the one that had it. */
  Map<Long, Long> queued() {
    return Map.copyOf(queued);
  }

  /** Reads of statuses. */
  List<BotAnswer> reads() {
    return List.copyOf(reads);
  }

  /** Bots with a lifetime. */
  List<Long> lived() {
    return List.copyOf(lived);
  }

  /** Starts a bot later, and moves its time. */
  void schedule(String room) {
    Instant first = time(LATER);
    long meeting = start(room, Map.of("start_at", first.toString()));
    List<Instant> tries = new ArrayList<>();
    ApiReply reply =
        looks.ask(
            user.api(),
            api -> {
              tries.add(time(EARLIER));
              String at = tries.getLast().toString();
              return api.put("/bots/schedule", Map.of("meeting_id", meeting, "start_at", at));
            });
    // A try without an answer may have moved it, too; a time that has passed is now.
    Instant now = Instant.now();
    if (tries.size() == 1 && now.isBefore(tries.getLast()) && now.isBefore(first)) {
      looks.compare(
          "a moved start", "200 " + tries.getLast(), reply.status() + " " + startAt(reply.body()));
    }
    if (reply.ok()) {
      starts.put(meeting, tries.getLast());
    }
  }

  /** Schedules a bot for a time that is further ahead than a bot may stay without a start. */
  void startLate(String room) {
    Instant at = time(LATE);
    Instant _ = late.put(room, at);
    Map<String, Object> body = new HashMap<>(BotUsers.start(platform, room));
    body.putAll(SETTINGS);
    body.put("start_at", at.toString());
    long bot = id(looks.ask(user.api(), api -> api.post("/bots/start", body)));
    if (bot > 0) {
      starts.put(bot, at);
    }
  }

  /**
   * Schedules a bot for a user whose bot in another room takes the only place, and is not stopped
   * before the time of the start.
   */
  void startWithoutPlace(ApiClient full, String room) {
    JsonNode bots = looks.ask(full, api -> api.get("/bots/active")).body().path("items");
    if (bots.isEmpty()) {
      return;
    }
    Instant at = time(EARLIER);
    Instant _ = late.put(bots.get(0).path("platform_specific_id").asString(""), at);
    Instant _ = late.put(room, at);
    Map<String, Object> body = new HashMap<>(BotUsers.start(platform, room));
    body.put("start_at", at.toString());
    ApiReply reply = looks.ask(full, api -> api.post("/bots/start", body));
    // One that is accepted later is due at once, and may find the place free.
    if (reply.status() == 201 && Instant.now().isBefore(at)) {
      starts.put(id(reply), at);
      boolean _ = withoutPlace.add(id(reply));
    }
  }

  /** Bots that have no place at their time. */
  Set<Long> withoutPlace() {
    return Set.copyOf(withoutPlace);
  }

  /** Rooms of bots that are to start late, and have not, and of those that have their place. */
  Set<String> waiting() {
    Instant now = Instant.now();
    return late.entrySet().stream()
        .filter(room -> now.isBefore(room.getValue().plus(STARTS)))
        .map(Map.Entry::getKey)
        .collect(Collectors.toSet());
  }

  /** Schedules a bot that is stopped long before its time. */
  void cancel(String room) {
    long meeting = start(room, Map.of("start_at", time(Duration.ofHours(1)).toString()));
    ApiReply reply =
        looks.ask(user.api(), api -> api.post("/bots/stop", Map.of("meeting_id", meeting)));
    looks.compare("the stop of a scheduled bot", 202, reply.status());
    starts.put(meeting, time(Duration.ofHours(1)));
  }

  /** Two users schedule bots for one meeting; each stops the own one, the older first. */
  void share(ApiClient other) {
    Instant at = time(Duration.ofHours(1));
    Map<String, Object> body = new HashMap<>(SHARED);
    body.put("data", Map.of(BotUsers.NOTE, SHARED.get("native_meeting_id")));
    body.put("start_at", at.toString());
    List<ApiClient> both = List.of(user.api(), other);
    List<Long> bots =
        both.stream().map(one -> id(looks.ask(one, api -> api.post("/bots/start", body)))).toList();
    for (int i = 0; i < both.size(); i++) {
      ApiReply reply = looks.ask(both.get(i), api -> api.post("/bots/stop", SHARED));
      looks.compare(
          "the stop of one of two bots of a meeting",
          "202 " + bots.get(i),
          reply.status() + " " + BotReads.text(reply.body(), "meeting_id"));
    }
    bots.forEach(bot -> starts.put(bot, at));
  }

  /** The time to start, without the zeros that it may have. */
  private static Instant startAt(JsonNode status) {
    return Instant.parse(status.path("start_at").asString("1970-01-01T00:00:00Z"));
  }

  private static Instant time(Duration ahead) {
    return Instant.now().plus(ahead).truncatedTo(ChronoUnit.MILLIS);
  }

  /** Starts until a server accepts; one whose answer was lost is there already. */
  private long start(String room, Map<String, ?> more) {
    Map<String, Object> body = new HashMap<>(BotUsers.start(platform, room));
    body.putAll(SETTINGS);
    body.putAll(more);
    String key = UUID.randomUUID().toString();
    ApiReply reply = looks.ask(user.api(), api -> api.post("/bots/start", body, key));
    if (reply.status() == 201) {
      String expected = "201 %d daily %s reserved - - -".formatted(user.id(), room);
      looks.compare("the answer to a start", expected, "201 " + meeting(reply.body()));
      ApiReply again = looks.ask(user.api(), api -> api.post("/bots/start", body, key));
      looks.compare(
          "the answer to a start with the same key",
          expected + " " + reply.body().path("id"),
          again.status() + " " + meeting(again.body()) + " " + again.body().path("id"));
      looks.answer(
          user.api(),
          "another start with the same key",
          "422",
          api -> api.post("/bots/start", Map.of("platform", "daily"), key));
      return reply.body().path("id").asLong();
    }
    ApiReply there = reply;
    // Ends with the faults: each lost answer needs one.
    for (int i = 2; BotReads.text(there.body(), "code").equals("idempotency_answer_lost"); i++) {
      String another = key + "-" + i;
      there = looks.ask(user.api(), api -> api.post("/bots/start", body, another));
    }
    looks.compare("the start of " + room, 409, there.status());
    return there.body().path("meeting_id").asLong();
  }

  private static String meeting(JsonNode body) {
    return String.join(
        " ",
        BotReads.text(body, "user_id"),
        BotReads.text(body, "platform"),
        BotReads.text(body, "platform_specific_id"),
        BotReads.text(body, "status"),
        BotReads.text(body, "bot_container_id"),
        BotReads.text(body, "start_time"),
        BotReads.text(body, "end_time"));
  }

  /** Reads the status of a bot, as the journal must have it then. */
  private JsonNode status(long meeting) {
    String path = "/bots/status?meeting_id=" + meeting;
    Instant sent = Instant.now();
    ApiReply reply = looks.ask(user.api(), api -> api.get(path));
    reads.add(
        new BotAnswer(
            BotReads.text(reply.body(), "session_uid"),
            "GET " + path,
            sent,
            Instant.now(),
            reply.status(),
            reply.body().path("meeting_id").asLong(0),
            reply.body().path("status").asString("")));
    return reply.body();
  }

  private boolean inMeeting(long meeting) {
    JsonNode status = status(meeting);
    return BotReads.text(status, "status").equals("active")
        && BotReads.text(status, "desired").equals("run");
  }

  private void change(long meeting, Map<String, String> settings) {
    Map<String, Object> body = new HashMap<>(settings);
    body.put("meeting_id", meeting);
    give(
        meeting,
        api -> api.put("/bots/config", body),
        it -> it.path("last_change").path("command_id"),
        "\"language\":\"%s\"".formatted(settings.getOrDefault("language", "")));
  }

  private void tell(long meeting, String path, String text) {
    give(
        meeting,
        api -> api.post(path, Map.of("text", text)),
        it -> it.path("command_id"),
        "\"text\":\"%s\"".formatted(text));
  }

  /** Gives a command, which a bot in its meeting takes. */
  private void give(
      long meeting,
      Function<ApiClient, ApiReply> call,
      Function<JsonNode, JsonNode> id,
      String text) {
    boolean before = inMeeting(meeting);
    Instant sent = Instant.now();
    ApiReply reply = looks.ask(user.api(), call);
    if (reply.status() == 202) {
      given.add(
          new GivenCommand(
              meeting, id.apply(reply.body()).asString(""), text, sent, Instant.now()));
    } else if (before && inMeeting(meeting)) {
      looks.compare("a command to a bot in its meeting", 202, reply.status());
    }
  }
}
