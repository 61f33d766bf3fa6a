package io.convoke.e2e.journey;

import io.convoke.fakes.client.ApiClient;
import io.convoke.fakes.client.ApiReply;
import io.convoke.simulator.Simulator;
import io.convoke.simulator.SimulatorConfig;
import io.convoke.simulator.process.InstalledPrograms;
import io.convoke.simulator.process.OrphanReaper;
import io.convoke.simulator.process.ServerProcess;
import io.convoke.simulator.state.LeaveReason;
import io.convoke.simulator.state.RoomRequest;
import io.convoke.simulator.state.SimulationTimings;
import io.convoke.simulator.state.Visitor;
import io.convoke.simulator.stores.EmbeddedRedis;
import io.convoke.simulator.stores.LocalStores;
import io.convoke.simulator.webhook.DeliveryAttempt;
import io.convoke.simulator.webhook.WebhookDelivery;
import io.convoke.simulator.webhook.WebhookEndpointRequest;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import tools.jackson.databind.JsonNode;

/**
 * The seed's picture with processes of their own: one that takes webhooks in and several that work,
 * on one Postgres and one Redis, around a simulated platform.
 */
final class PresenceServerCluster implements AutoCloseable {
  private static final String ADMIN = "the-admins-token";
  private static final String SECRET_KEY = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
  private static final Duration LOOK = Duration.ofMillis(10);

  private final OrphanReaper orphanReaper = new OrphanReaper();
  private final EmbeddedRedis redis = LocalStores.forTests().ownRedis();
  private final RedisClient client = RedisClient.create(redis.url());
  private final StatefulRedisConnection<String, String> connection = client.connect();
  private final Simulator simulator;
  private final ServerProcess api;
  private final List<ServerProcess> workers = new ArrayList<>();
  private final List<Path> logs = new ArrayList<>();
  private final ApiClient user;

  /** With as many workers, on default settings except the given ones. */
  PresenceServerCluster(Path folder, int number, Map<String, String> more) {
    int port = InstalledPrograms.freePort();
    simulator =
        Simulator.start(
            SimulatorConfig.defaults()
                .withTimings(SimulationTimings.DAILY.withMeetingEnd(Duration.ofSeconds(2)))
                .withWebhook(
                    WebhookEndpointRequest.to(
                        URI.create("http://127.0.0.1:" + port + "/webhooks/daily"),
                        JourneyTestServer.WEBHOOK_SECRET)));
    Map<String, String> settings = new HashMap<>();
    settings.put("CONVOKE_DATABASE_URL", LocalStores.forTests().freshDatabase());
    settings.put("CONVOKE_REDIS_URL", redis.url());
    settings.put("CONVOKE_SECRET_KEY", SECRET_KEY);
    settings.put("CONVOKE_ADMIN_TOKEN", ADMIN);
    settings.put("CONVOKE_DAILY_API_URL", simulator.apiUrl().toString());
    settings.put("CONVOKE_DAILY_API_KEY", simulator.apiKey());
    settings.put("CONVOKE_DAILY_WEBHOOK_SECRET", JourneyTestServer.WEBHOOK_SECRET);
    // A client that polls each few milliseconds would meet the rate limit.
    settings.put("CONVOKE_RATE_LIMIT", "100000");
    settings.putAll(more);
    api = start(folder, "api", port, settings);
    for (int i = 0; i < number; i++) {
      workers.add(start(folder, "presence", 0, settings));
    }
    user = ApiClient.admin(URI.create(api.url()), ADMIN).newUser("fleet@example.org");
  }

  private ServerProcess start(Path folder, String role, int port, Map<String, String> settings) {
    Path log = folder.resolve(role + "-" + logs.size() + ".log");
    logs.add(log);
    List<String> arguments =
        List.of(
            "serve",
            "--roles",
            role,
            "--port",
            Integer.toString(port),
            "--data",
            folder.resolve("data-" + logs.size()).toString());
    return ServerProcess.start(orphanReaper, arguments, settings, log);
  }

  Simulator simulator() {
    return simulator;
  }

  /** A tracked meeting with known participants. */
  long meeting(String room, String... people) {
    var _ = simulator.world().ensure(RoomRequest.named(room));
    for (String person : people) {
      join(room, person);
    }
    long meeting = user.track(room);
    await("the first look at " + room, () -> people(meeting).size() == people.length);
    await("the first poll's end", () -> pollState(meeting).equals("idle"));
    return meeting;
  }

  void join(String room, String person) {
    var _ = simulator.world().join(room, Visitor.named(person));
  }

  /** Waits until the server has received a join and has finished the poll for it. */
  void settle(String room, long meeting, String person) {
    DeliveryAttempt _ = joined(room, person);
    await("the end of it", () -> !flagged(meeting) && pollState(meeting).equals("idle"));
  }

  /** From the sending of the first participant's webhook until the answer to the last one's. */
  Duration delivering(String room, String first, String last) {
    DeliveryAttempt to = joined(room, last);
    return Duration.between(joined(room, first).at(), to.at().plus(to.took()));
  }

  private DeliveryAttempt joined(String room, String person) {
    try {
      return simulator
          .awaitWebhook(
              it ->
                  it.envelope().type().equals("participant.joined")
                      && it.envelope().room().equals(room)
                      && person.equals(it.envelope().payload().get("user_name"))
                      && it.end() == WebhookDelivery.DeliveryEnd.DELIVERED,
              Duration.ofSeconds(5))
          .attempts()
          .getFirst();
    } catch (TimeoutException none) {
      throw new AssertionError("no event that " + person + " joined " + room, none);
    }
  }

  /** All participants leave a room. */
  void empty(String room) {
    simulator.world().roomViews().stream()
        .filter(seen -> seen.room().name().equals(room))
        .flatMap(seen -> seen.present().stream())
        .forEach(
            roomSession -> {
              boolean _ = simulator.world().leave(room, roomSession.sessionId(), LeaveReason.LEFT);
            });
  }

  List<String> people(long meeting) {
    return participants(meeting)
        .path("items")
        .valueStream()
        .map(item -> item.path("user_name").asString())
        .sorted()
        .toList();
  }

  String pollState(long meeting) {
    return participants(meeting).path("poll_state").asString();
  }

  private JsonNode participants(long meeting) {
    return get("/meetings/" + meeting + "/participants?active=true");
  }

  String status(long meeting) {
    return get("/meetings/" + meeting).path("status").asString();
  }

  /** How often a meeting reached a status, by the journal. */
  long moves(long meeting, String status) {
    return get("/events?limit=200&type=meeting.status_changed&subject=meeting:" + meeting)
        .path("items")
        .valueStream()
        .filter(event -> event.path("data").path("to").asString().equals(status))
        .count();
  }

  private JsonNode get(String path) {
    ApiReply apiReply = user.get(path);
    if (!apiReply.ok()) {
      throw new AssertionError(path + " was answered " + apiReply);
    }
    return apiReply.body();
  }

  /** Answered questions for one room's presence. */
  long polls(String room) {
    return simulator.requests().recent().stream()
        .filter(it -> it.target().contains("/rooms/" + room + "/presence"))
        .count();
  }

  /** Whether one more poll of a room starts within this time. */
  boolean polledAgain(String room, long before, Duration within) {
    try {
      var _ = simulator.awaitRequest(it -> polls(room) > before, within);
      return true;
    } catch (TimeoutException none) {
      return false;
    }
  }

  /** Sets flags as any stranger may, all in one moment. */
  void flag(long... meetings) {
    Map<String, String> flags = new HashMap<>();
    for (long meeting : meetings) {
      flags.put("meeting_poll_requested:" + meeting, "1");
    }
    String _ = connection.sync().mset(flags);
  }

  boolean flagged(long meeting) {
    return connection.sync().exists("meeting_poll_requested:" + meeting) == 1;
  }

  /** The holder of the lock of a meeting's poll. */
  Optional<String> holder(long meeting) {
    return Optional.ofNullable(connection.sync().get("meeting_presence_poll:" + meeting));
  }

  /** kill -9 of the worker that holds a meeting's poll. */
  void killHolder(long meeting) throws IOException {
    String holder = holder(meeting).orElseThrow();
    for (int i = 0; i < workers.size(); i++) {
      String log = Files.readString(logs.get(i + 1));
      if (holder.startsWith(
          "presence:" + log.replaceAll("(?s).*Node (convoke-\\w+) started .*", "$1"))) {
        workers.get(i).kill();
        return;
      }
    }
    throw new AssertionError("no worker " + holder);
  }

  /** Polls for up to half a minute. */
  void await(String what, BooleanSupplier condition) {
    await(what, Duration.ofSeconds(30), condition);
  }

  void await(String what, Duration atMost, BooleanSupplier condition) {
    long deadline = System.nanoTime() + atMost.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError("in vain: " + what);
      }
      LockSupport.parkNanos(LOOK.toNanos());
    }
  }

  @Override
  public void close() {
    workers.forEach(ServerProcess::close);
    api.close();
    connection.close();
    client.shutdown();
    simulator.close();
    redis.close();
    orphanReaper.close();
  }
}
