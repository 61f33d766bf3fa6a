package io.convoke.chaos.bots;

import io.convoke.chaos.ApiComparisons;
import io.convoke.chaos.bots.rules.BotHistory.ListedBots;
import io.convoke.chaos.bots.rules.BotHistory.UserCall;
import io.convoke.chaos.kernel.FaultTimeline;
import io.convoke.fakes.client.ApiClient;
import io.convoke.fakes.client.ApiReply;
import io.convoke.simulator.Simulator;
import java.net.URI;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/** Simulated users with bot limits; they spread requests over the servers and record responses. */
final class BotUsers {
  /** A field of a user's own; its value is the room. */
  static final String NOTE = "note";

  /** When bots leave by themselves. */
  static final Map<String, Long> LEAVES =
      Map.of(
          "waiting_room_timeout", BotRunConfig.LOBBY.toSeconds(),
          "no_one_joined_timeout", BotRunConfig.ALONE.toSeconds(),
          "everyone_left_timeout", BotRunConfig.ALONE.toSeconds());

  private final ApiComparisons looks;
  private final Simulator platform;
  private final List<URI> servers;
  private final List<ApiClient.CreatedUser> callers = new ArrayList<>();
  private final Map<Long, Integer> limits = new TreeMap<>();
  private final List<UserCall> calls = new CopyOnWriteArrayList<>();
  private final List<ListedBots> lists = new CopyOnWriteArrayList<>();
  private final AtomicInteger turn = new AtomicInteger();

  BotUsers(
      ApiClient admin,
      List<Integer> limits,
      Simulator platform,
      List<URI> servers,
      ApiComparisons looks) {
    this.looks = looks;
    this.platform = platform;
    this.servers = servers;
    for (int limit : limits) {
      ApiClient.CreatedUser made = admin.newUser("user-" + callers.size() + "@example.com", limit);
      callers.add(made);
      this.limits.put(made.id(), limit);
    }
  }

  List<ApiClient.CreatedUser> users() {
    return callers;
  }

  Map<Long, Integer> limits() {
    return limits;
  }

  List<UserCall> calls() {
    return List.copyOf(calls);
  }

  /** Lists of active bots. */
  List<ListedBots> lists() {
    return List.copyOf(lists);
  }

  void start(int user, String room) {
    call("start", user, room, "id", api -> api.post("/bots/start", start(platform, room)));
  }

  /** The request of a bot for a room. */
  static Map<String, Object> start(Simulator platform, String room) {
    return Map.of(
        "platform",
        "daily",
        "native_meeting_id",
        room,
        "meeting_url",
        platform.roomUrl(room).toString(),
        "automatic_leave",
        LEAVES,
        "data",
        Map.of(NOTE, room));
  }

  void stop(int user, String room) {
    call(
        "stop",
        user,
        room,
        "meeting_id",
        api -> api.post("/bots/stop", Map.of("platform", "daily", "native_meeting_id", room)));
  }

  /** Reads the active bots of a user. */
  JsonNode list(int user) {
    URI server = servers.get(turn.getAndIncrement() % servers.size());
    Instant sent = Instant.now();
    ApiReply reply = callers.get(user).api().at(server).get("/bots/active");
    JsonNode items = reply.body().path("items");
    if (reply.ok()) {
      lists.add(
          new ListedBots(
              callers.get(user).id(),
              items.valueStream().map(item -> item.path("id").asLong()).collect(Collectors.toSet()),
              sent,
              Instant.now()));
    }
    return items;
  }

  /** Requests the stop of every bot but those in these rooms; returns how many are still live. */
  int stopAll(Set<String> except) {
    int living = 0;
    for (int user = 0; user < callers.size(); user++) {
      JsonNode items = list(user);
      for (JsonNode item : items) {
        String room = item.path("platform_specific_id").asString("");
        if (!except.contains(room)) {
          stop(user, room);
        }
        living++;
      }
    }
    return living;
  }

  private void call(
      String what, int user, String room, String idField, Function<ApiClient, ApiReply> request) {
    int server = turn.getAndIncrement() % servers.size();
    Instant sent = Instant.now();
    ApiReply reply = request.apply(callers.get(user).api().at(servers.get(server)));
    refused(callers.get(user).id(), room, reply);
    calls.add(
        new UserCall(
            Instant.now(),
            what,
            room,
            reply.status(),
            reply.ok() ? reply.body().path(idField).asLong(0) : 0,
            callers.get(user).id(),
            FaultTimeline.server(server),
            sent));
  }

  /** A refusal says why: the bot that is there already, or the limit. */
  private void refused(long user, String room, ApiReply reply) {
    String code = reply.body().path("code").asString("");
    if (reply.status() == 409) {
      JsonNode there = reply.body().path("meeting");
      looks.compare(
          "the answer 409 to a start",
          "bot_already_there %s %d".formatted(room, user),
          "%s %s %d"
              .formatted(
                  code,
                  there.path("platform_specific_id").asString(""),
                  there.path("user_id").asLong(0)));
    } else if (reply.status() == 429) {
      looks.compare(
          "the answer 429 to a start",
          "bot_limit_reached " + limits.get(user),
          code + " " + reply.body().path("max_concurrent_bots").asString(""));
    }
  }
}
