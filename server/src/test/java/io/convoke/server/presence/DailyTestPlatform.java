package io.convoke.server.presence;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.redis.Redis;
import io.convoke.server.platform.daily.DailyClient;
import io.convoke.server.platform.daily.DailyConfig;
import io.convoke.server.platform.daily.DailySignature;
import io.convoke.server.platform.daily.DailyWebhookRegistration;
import io.convoke.server.presence.PresenceTestKit.Node;
import io.convoke.simulator.Simulator;
import io.convoke.simulator.fault.FaultKind;
import io.convoke.simulator.fault.FaultSetting;
import io.convoke.simulator.state.JoinResult;
import io.convoke.simulator.state.LeaveReason;
import io.convoke.simulator.state.RoomRequest;
import io.convoke.simulator.state.Visitor;
import io.convoke.simulator.webhook.WebhookEndpointRequest;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeoutException;

/** Daily, as the simulator plays it. */
final class DailyTestPlatform implements TestPlatform {
  private final Simulator sim;
  private final HttpClient httpClient = HttpClient.newHttpClient();

  DailyTestPlatform(Simulator sim) {
    this.sim = sim;
  }

  @Override
  public String name() {
    return "daily";
  }

  @Override
  public PolledPlatform polled(Redis redis, Optional<URI> watched) {
    DailyConfig daily = new DailyConfig(sim.apiUrl(), sim.apiKey(), DailyConfig.DEFAULT_TIMEOUT);
    RedisRateLimiter budget = new RedisRateLimiter(redis, ApiBudget.DAILY);
    return new PolledPlatform(
        new DailyClient(daily, budget, InstantSource.system()),
        new EventIntake.DailyWebhooks(
            Optional.of(DailySignature.of(PresenceTestKit.SECRET)),
            _ -> {},
            watched.map(
                address ->
                    new DailyWebhookRegistration(daily, budget, address, PresenceTestKit.SECRET))),
        ApiBudget.DAILY,
        Set.of(),
        true);
  }

  @Override
  public void ensure(String room) {
    var _ = sim.world().ensure(RoomRequest.named(room));
  }

  @Override
  public String join(String room, String name) {
    return join(room, Visitor.named(name));
  }

  String join(String room, Visitor visitor) {
    return switch (sim.world().join(room, visitor)) {
      case JoinResult.JoinedMeeting joinedMeeting -> joinedMeeting.session().sessionId();
      case JoinResult other -> throw new AssertionError(other);
    };
  }

  @Override
  public void leave(String room, String session) {
    if (!sim.world().leave(room, session, LeaveReason.LEFT)) {
      throw new AssertionError("nobody left");
    }
  }

  @Override
  public void eventsTo(Node node) {
    var _ =
        sim.webhooks()
            .preset(
                WebhookEndpointRequest.to(
                    URI.create(node.http().url() + "/webhooks/daily"), PresenceTestKit.SECRET));
  }

  @Override
  public void loseEvents() {
    sim.faults().set(FaultKind.WEBHOOK_DROP, FaultSetting.ALWAYS);
  }

  @Override
  public void failCalls(int times) {
    sim.faults().set(FaultKind.API_500, FaultSetting.ALWAYS.times(times));
  }

  @Override
  public long polls(String room) {
    return sim.requests().recent().stream()
        .filter(it -> it.target().contains("/rooms/" + room + "/presence"))
        .count();
  }

  @Override
  public void awaitPolls(String room, long more) {
    try {
      var _ =
          sim.awaitRequest(
              it -> it.target().contains(room + "/presence") && polls(room) > more,
              PresenceTestKit.SOON);
    } catch (TimeoutException late) {
      throw new AssertionError(late);
    }
  }

  @Override
  public void awaitDelivered(String session) {
    try {
      var webhookDelivery =
          sim.awaitWebhook(
              it -> it.settled() && it.envelope().sessionId().equals(Optional.of(session)),
              PresenceTestKit.SOON);
      assertThat(webhookDelivery.attempts()).hasSize(1);
    } catch (TimeoutException late) {
      throw new AssertionError(late);
    }
  }

  @Override
  public void awaitQuiet() {
    try {
      sim.awaitQuiet(PresenceTestKit.SOON);
    } catch (TimeoutException late) {
      throw new AssertionError(late);
    }
  }

  @Override
  public int tellJoined(Node node, String id, String room, String session, Instant at)
      throws IOException, InterruptedException {
    return webhook(node, PresenceTestKit.joined(id, room, session, at));
  }

  /** Sends a signed body as Daily would. */
  int webhook(Node node, String body) throws IOException, InterruptedException {
    String timestamp = Long.toString(Instant.now().getEpochSecond());
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    return post(
            node,
            bytes,
            timestamp,
            DailySignature.of(PresenceTestKit.SECRET).sign(timestamp, bytes))
        .statusCode();
  }

  HttpResponse<String> post(Node node, byte[] body, String timestamp, String signature)
      throws IOException, InterruptedException {
    return httpClient.send(
        HttpRequest.newBuilder(URI.create(node.http().url() + "/webhooks/daily"))
            .header("X-Webhook-Timestamp", timestamp)
            .header("X-Webhook-Signature", signature)
            .POST(HttpRequest.BodyPublishers.ofByteArray(body))
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  @Override
  public void close() {}
}
