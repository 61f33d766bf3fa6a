package io.convoke.e2e.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.e2e.journey.ApiUser;
import io.convoke.e2e.journey.JourneyTestServer;
import io.convoke.engine.dispatch.AttemptHandler.AttemptOutcome;
import io.convoke.engine.dispatch.DispatchConfig;
import io.convoke.engine.dispatch.Pod;
import io.convoke.engine.dispatch.PodCapacity;
import io.convoke.engine.dispatch.PodId;
import io.convoke.engine.dispatch.TaskAttempt;
import io.convoke.engine.redis.Redis;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import tools.jackson.databind.JsonNode;

/**
 * A server with pods. A task whose channel begins with {@code closed} fails; any other runs until
 * {@link #finish} or a stop.
 */
final class PodConsoleServer implements AutoCloseable {
  /** The pods' queue; other queues have no pod. */
  private static final Map<String, Double> TYPES =
      Map.of("snapshot", 1.0, "record", 1.0, "probe", 1.0);

  final JourneyTestServer journeyServer;
  final String key;
  final ApiUser olivia;
  private final Redis redis;
  private final List<Pod> pods = new ArrayList<>();
  private final Map<String, CountDownLatch> running = new ConcurrentHashMap<>();

  private PodConsoleServer(Path folder, Map<String, String> more) throws Exception {
    journeyServer = JourneyTestServer.open(folder, more);
    redis = Redis.open(journeyServer.redisUrl());
    JsonNode user =
        journeyServer
            .admin()
            .post(
                "/admin/users",
                "{\"email\": \"olivia@example.org\", \"max_concurrent_bots\": null}")
            .body();
    assertThat(user.path("id").asLong()).isPositive();
    key = journeyServer.key("olivia@example.org");
    olivia = new ApiUser(journeyServer.server().url(), Map.of("X-API-Key", key));
  }

  static PodConsoleServer open(Path folder, Map<String, String> more) throws Exception {
    return new PodConsoleServer(folder, more);
  }

  void pod(String name, String region, int slots) {
    pods.add(
        new Pod(
            redis,
            new PodId(name, region),
            slots,
            new PodCapacity(slots, TYPES, OptionalDouble.empty()),
            DispatchConfig.seed(),
            this::run));
  }

  private AttemptOutcome run(TaskAttempt run) throws InterruptedException {
    String channel = run.task().channel();
    if (channel.startsWith("closed")) {
      return new AttemptOutcome.AttemptFailed("the door of " + channel + " is shut");
    }
    CountDownLatch end = running.computeIfAbsent(channel, _ -> new CountDownLatch(1));
    run.onStop(end::countDown);
    end.await();
    return new AttemptOutcome.AttemptDone();
  }

  /** Completes the current or next task of the channel. */
  void finish(String channel) {
    running.computeIfAbsent(channel, _ -> new CountDownLatch(1)).countDown();
  }

  /** Asks for a task and answers its id. */
  String task(String channel, String type, String region) throws IOException, InterruptedException {
    ApiUser.Reply reply =
        olivia.post(
            "/tasks",
            """
            {"request_id": "%s", "type": "%s", "action": "start", "channel": "%s", "region": "%s",
             "payload": {"interval_in_ms": 15000, "layout": "flat", "access_token": "secret"}}
            """
                .formatted(channel + "." + type, type, channel, region));
    assertThat(reply.status()).as(reply.body().toString()).isEqualTo(202);
    return reply.body().path("id").asString();
  }

  /** Sends a bot and answers its meeting. */
  long bot(String room) throws IOException, InterruptedException {
    ApiUser.Reply reply =
        olivia.post(
            "/bots/start",
            "{\"platform\": \"daily\", \"native_meeting_id\": \"%s\"}".formatted(room));
    assertThat(reply.status()).as(reply.body().toString()).isEqualTo(201);
    return reply.body().path("id").asLong();
  }

  /** Waits for an event of this type and subject. */
  JsonNode awaitEvent(String type, String subject) throws IOException, InterruptedException {
    return journeyServer
        .admin()
        .await(
            0,
            event ->
                event.path("type").asString("").equals(type)
                    && event.path("subject").asString("").equals(subject));
  }

  @Override
  public void close() {
    pods.forEach(Pod::close);
    redis.close();
    journeyServer.close();
  }
}
