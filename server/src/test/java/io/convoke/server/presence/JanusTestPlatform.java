package io.convoke.server.presence;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.redis.Redis;
import io.convoke.fakes.janus.FakeJanus;
import io.convoke.fakes.janus.JanusServer;
import io.convoke.fakes.janus.JanusServer.JanusJoin;
import io.convoke.fakes.orchestrator.RequestFaults.RequestFault;
import io.convoke.server.platform.DomainPresence;
import io.convoke.server.platform.MeetingAttendance;
import io.convoke.server.platform.PlatformClient;
import io.convoke.server.platform.RateLimiter;
import io.convoke.server.platform.RoomActivity;
import io.convoke.server.platform.RoomAddress;
import io.convoke.server.platform.RoomPresence;
import io.convoke.server.platform.janus.JanusAdmin;
import io.convoke.server.platform.janus.JanusClient;
import io.convoke.server.platform.janus.JanusConfig;
import io.convoke.server.presence.PresenceTestKit.Node;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeoutException;

/** Janus, as its fake plays it. */
final class JanusTestPlatform implements TestPlatform {
  final FakeJanus janus = new FakeJanus();
  private final JanusAdmin rooms =
      new JanusAdmin(config(janus.adminUrl()), RateLimiter.unlimited());
  private volatile Duration ahead = Duration.ZERO;
  private final List<String> polls = new ArrayList<>();
  private final HttpClient httpClient = HttpClient.newHttpClient();

  static JanusConfig config(URI adminUrl) {
    return new JanusConfig(
        adminUrl, JanusServer.ADMIN_SECRET, JanusServer.ADMIN_KEY, JanusConfig.DEFAULT_TIMEOUT);
  }

  @Override
  public String name() {
    return "janus";
  }

  @Override
  public PolledPlatform polled(Redis redis, Optional<URI> watched) {
    assertThat(watched).isEmpty();
    JanusAdmin admin =
        new JanusAdmin(config(janus.adminUrl()), new RedisRateLimiter(redis, ApiBudget.JANUS));
    return new PolledPlatform(
        new CountingClient(new JanusClient(admin, () -> Instant.now().plus(ahead))),
        new EventIntake.JanusEvents(Optional.of(JanusServer.EVENT_PASSWORD)),
        ApiBudget.JANUS,
        Set.of("daily"),
        true);
  }

  /** Counts polls of rooms; bulk calls ask for participants too, below it. */
  private final class CountingClient implements PlatformClient {
    private final PlatformClient client;

    CountingClient(PlatformClient client) {
      this.client = client;
    }

    @Override
    public String name() {
      return client.name();
    }

    @Override
    public RoomPresence presence(String room) {
      RoomPresence answer = client.presence(room);
      synchronized (polls) {
        polls.add(room);
        polls.notifyAll();
      }
      return answer;
    }

    @Override
    public DomainPresence presence() {
      return client.presence();
    }

    @Override
    public RoomActivity activity(String room) {
      return client.activity(room);
    }

    @Override
    public MeetingAttendance attendance(String session) {
      return client.attendance(session);
    }

    @Override
    public RoomAddress roomAddress(String room) {
      return client.roomAddress(room);
    }
  }

  @Override
  public void ensure(String room) {
    var _ =
        rooms.send(
            "create", Map.of("admin_key", JanusServer.ADMIN_KEY, "room", room, "is_private", true));
  }

  @Override
  public String join(String room, String name) {
    return join(room, Optional.empty(), name);
  }

  String join(String room, Optional<String> id, String name) {
    return switch (janus.join(room, "", id, Optional.of(name))) {
      case JanusJoin.JanusJoined(String joined) -> joined;
      case JanusJoin.JanusJoinRefused refused -> throw new AssertionError(refused);
    };
  }

  @Override
  public void leave(String room, String session) {
    janus.leave(room, session);
  }

  /** Lets time pass for those who ask. */
  void later(Duration passed) {
    ahead = ahead.plus(passed);
  }

  /** Removes a participant, by the admin API. */
  void kick(String room, String id) {
    assertThat(rooms.send("kick", Map.of("room", room, "id", id)))
        .isInstanceOf(JanusAdmin.JanusReply.JanusAnswer.class);
  }

  @Override
  public void eventsTo(Node node) {
    janus.postEventsTo(address(node));
  }

  private static URI address(Node node) {
    return URI.create(node.http().url() + "/webhooks/janus");
  }

  @Override
  public void loseEvents() {
    janus.events().lose(true);
  }

  @Override
  public void failCalls(int times) {
    Collections.nCopies(times, new RequestFault.RefuseRequest(500))
        .forEach(fault -> janus.faults().next("POST", fault));
  }

  @Override
  public long polls(String room) {
    synchronized (polls) {
      return polls.stream().filter(room::equals).count();
    }
  }

  @Override
  public void awaitPolls(String room, long more) {
    long end = System.nanoTime() + PresenceTestKit.SOON.toNanos();
    synchronized (polls) {
      while (polls(room) <= more) {
        long left = Duration.ofNanos(end - System.nanoTime()).toMillis();
        if (left <= 0) {
          throw new AssertionError("polled " + polls(room) + " times");
        }
        try {
          polls.wait(left);
        } catch (InterruptedException stopped) {
          throw new AssertionError(stopped);
        }
      }
    }
  }

  @Override
  public void awaitDelivered(String session) {
    awaitQuiet();
    assertThat(janus.events().lost()).isZero();
  }

  @Override
  public void awaitQuiet() {
    try {
      janus.events().awaitQuiet(PresenceTestKit.SOON);
    } catch (TimeoutException late) {
      throw new AssertionError(late);
    }
  }

  @Override
  public int tellJoined(Node node, String id, String room, String session, Instant at)
      throws IOException, InterruptedException {
    return post(node, "convoke:" + JanusServer.EVENT_PASSWORD, joined(room, session, at));
  }

  /** An event as the sample event handler posts it, alone. */
  static String joined(String room, String session, Instant at) {
    return """
    {"emitter":"test","type":64,"timestamp":%d,"session_id":1,"handle_id":2,
     "event":{"plugin":"janus.plugin.videoroom",
      "data":{"event":"joined","room":"%s","id":"%s","private_id":3,"display":"%s"}}}
    """
        .formatted(ChronoUnit.MICROS.between(Instant.EPOCH, at), room, session, session);
  }

  /** Posts with these credentials; returns the status of the answer. */
  int post(Node node, String credentials, String body) throws IOException, InterruptedException {
    return httpClient
        .send(
            HttpRequest.newBuilder(address(node))
                .header(
                    "Authorization",
                    "Basic "
                        + Base64.getEncoder()
                            .encodeToString(credentials.getBytes(StandardCharsets.UTF_8)))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build(),
            HttpResponse.BodyHandlers.discarding())
        .statusCode();
  }

  @Override
  public void close() {
    assertThat(janus.complaints()).isEmpty();
    janus.close();
  }
}
