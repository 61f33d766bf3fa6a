package io.convoke.chaos.bots;

import io.convoke.chaos.bots.rules.UserCall;
import io.convoke.fakes.client.ApiClient;
import io.convoke.fakes.client.ApiReply;
import io.convoke.simulator.Simulator;
import java.net.URI;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import tools.jackson.databind.JsonNode;

/** Simulated users with bot limits; they spread requests over the servers and record responses. */
final class BotUsers {
  private final Simulator platform;
  private final List<URI> servers;
  private final List<ApiClient> callers = new ArrayList<>();
  private final Map<Long, Integer> limits = new TreeMap<>();
  private final List<UserCall> calls = new CopyOnWriteArrayList<>();
  private final AtomicInteger turn = new AtomicInteger();

  BotUsers(ApiClient admin, List<Integer> limits, Simulator platform, List<URI> servers) {
    this.platform = platform;
    this.servers = servers;
    for (int limit : limits) {
      ApiClient.CreatedUser made = admin.newUser("user-" + callers.size() + "@example.com", limit);
      callers.add(made.api());
      this.limits.put(made.id(), limit);
    }
  }

  Map<Long, Integer> limits() {
    return limits;
  }

  List<UserCall> calls() {
    return List.copyOf(calls);
  }

  void start(int user, String room) {
    ApiReply apiReply =
        caller(user)
            .post(
                "/bots/start",
                Map.of(
                    "platform",
                    "daily",
                    "native_meeting_id",
                    room,
                    "meeting_url",
                    platform.roomUrl(room).toString(),
                    "automatic_leave",
                    Map.of(
                        "waiting_room_timeout", BotRunConfig.LOBBY.toSeconds(),
                        "no_one_joined_timeout", BotRunConfig.ALONE.toSeconds(),
                        "everyone_left_timeout", BotRunConfig.ALONE.toSeconds())));
    note("start", room, apiReply, apiReply.body().path("id").asLong(0));
  }

  void stop(int user, String room) {
    ApiReply apiReply =
        caller(user).post("/bots/stop", Map.of("platform", "daily", "native_meeting_id", room));
    note("stop", room, apiReply, apiReply.body().path("meeting_id").asLong(0));
  }

  /** Requests the stop of every bot; returns how many are still live. */
  int stopAll() {
    int living = 0;
    for (int user = 0; user < callers.size(); user++) {
      JsonNode items = caller(user).get("/bots/active").body().path("items");
      for (JsonNode item : items) {
        stop(user, item.path("platform_specific_id").asString(""));
        living++;
      }
    }
    return living;
  }

  private ApiClient caller(int user) {
    return callers.get(user).at(servers.get(turn.getAndIncrement() % servers.size()));
  }

  private void note(String what, String room, ApiReply apiReply, long meeting) {
    calls.add(
        new UserCall(Instant.now(), what, room, apiReply.status(), apiReply.ok() ? meeting : 0));
  }
}
