package io.convoke.server.platform.janus;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.convoke.fakes.janus.JanusServer;
import io.convoke.fakes.janus.JanusServer.JanusJoin;
import io.convoke.server.platform.DomainPresence;
import io.convoke.server.platform.Participant;
import io.convoke.server.platform.PresenceEvent;
import io.convoke.server.platform.RateLimiter;
import io.convoke.server.platform.RoomActivity;
import io.convoke.server.platform.RoomPresence;
import io.convoke.server.platform.janus.JanusAdmin.JanusReply;
import io.convoke.server.platform.janus.JanusEventParser.JanusPost;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** What we rely on at Janus, the same for the fake and for the real one. */
abstract class JanusContract {
  private static final Duration SOON = Duration.ofSeconds(20);

  private final BlockingQueue<PresenceEvent> events = new LinkedBlockingQueue<>();
  private final BlockingQueue<Optional<String>> credentials = new LinkedBlockingQueue<>();

  /** Of the answer to a post of events. */
  private volatile int status = 200;

  private HttpServer receiver;
  private JanusServer server;
  private JanusAdmin admin;
  private JanusClient client;

  /** Starts one that posts its events there. */
  abstract JanusServer start(URI events) throws IOException;

  @BeforeEach
  void start() throws IOException {
    receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    receiver.createContext(
        "/events",
        exchange -> {
          try (exchange) {
            byte[] body = exchange.getRequestBody().readAllBytes();
            credentials.add(
                Optional.ofNullable(exchange.getRequestHeaders().getFirst("Authorization")));
            if (JanusEventParser.parse(body, Instant.now())
                instanceof JanusPost.JanusEventsRead(List<PresenceEvent> read)) {
              events.addAll(read);
            }
            exchange.sendResponseHeaders(status, -1);
          }
        });
    receiver.start();
    server = start(URI.create("http://127.0.0.1:" + receiver.getAddress().getPort() + "/events"));
    admin = admin(JanusServer.ADMIN_SECRET, JanusServer.ADMIN_KEY);
    client = new JanusClient(admin, InstantSource.system());
  }

  @AfterEach
  void stop() {
    server.close();
    receiver.stop(0);
  }

  private JanusAdmin admin(String secret, String key) {
    return new JanusAdmin(
        new JanusConfig(server.adminUrl(), secret, key, JanusConfig.DEFAULT_TIMEOUT),
        RateLimiter.unlimited());
  }

  private void create(String room, String pin) {
    assertThat(
            admin.send(
                "create",
                Map.of(
                    "admin_key",
                    JanusServer.ADMIN_KEY,
                    "room",
                    room,
                    "secret",
                    "s-" + room,
                    "pin",
                    pin,
                    "is_private",
                    true)))
        .isInstanceOf(JanusReply.JanusAnswer.class);
  }

  private List<String> listed(String room) {
    return client.presence(room).participants().stream().map(Participant::sessionId).toList();
  }

  private static int code(JanusReply reply) {
    return reply instanceof JanusReply.JanusRefusal(int code, String _) ? code : 0;
  }

  private PresenceEvent event(PresenceEvent.PresenceEventKind kind, String session)
      throws InterruptedException {
    long end = System.nanoTime() + SOON.toNanos();
    while (true) {
      PresenceEvent event = events.poll(end - System.nanoTime(), TimeUnit.NANOSECONDS);
      assertThat(event).as("%s of %s", kind, session).isNotNull();
      if (event.kind() == kind && event.sessionId().equals(session)) {
        return event;
      }
    }
  }

  @Test
  void whoJoinsWithoutPublishingIsListedUntilTheLeave() throws Exception {
    create("room-a", "");
    Instant before = Instant.now().minusMillis(1);
    assertThat(server.join("room-a", "", Optional.of("alice"), Optional.of("Alice")))
        .isEqualTo(new JanusJoin.JanusJoined("alice"));

    Participant alice = client.presence("room-a").participants().getFirst();
    assertThat(alice.sessionId()).isEqualTo("alice");
    assertThat(alice.userName()).contains("Alice");
    PresenceEvent joined = event(PresenceEvent.PresenceEventKind.JOINED, "alice");
    assertThat(joined.room()).isEqualTo("room-a");
    assertThat(joined.userName()).contains("Alice");
    assertThat(joined.at()).isBetween(before, Instant.now());
    assertThat(credentials.take()).isPresent().satisfies(this::opens);

    server.leave("room-a", "alice");
    assertThat(listed("room-a")).isEmpty();
    PresenceEvent left = event(PresenceEvent.PresenceEventKind.LEFT, "alice");
    assertThat(left.at()).isAfterOrEqualTo(joined.at());
    assertThat(left.joinedAt()).isEmpty();
  }

  @Test
  void aPostThatIsAnsweredWithAnErrorIsNotTriedAgain() throws Exception {
    create("room-a", "");
    status = 503;
    assertThat(server.join("room-a", "", Optional.of("alice"), Optional.empty()))
        .isEqualTo(new JanusJoin.JanusJoined("alice"));
    PresenceEvent _ = event(PresenceEvent.PresenceEventKind.JOINED, "alice");
    server.leave("room-a", "alice");
    assertThat(events.poll(SOON.toSeconds(), TimeUnit.SECONDS))
        .isNotNull()
        .satisfies(next -> assertThat(next.kind()).isEqualTo(PresenceEvent.PresenceEventKind.LEFT));
  }

  private void opens(Optional<String> header) {
    assertThat(new JanusEventPassword(JanusServer.EVENT_PASSWORD).opens(header)).isTrue();
    assertThat(new JanusEventPassword("another").opens(header)).isFalse();
  }

  /** A room may have one, for subscribers: it sends nothing and never leaves. */
  @Test
  void theDummyPublisherOfARoomIsNoParticipant() {
    Map<String, Object> fields =
        Map.of("admin_key", JanusServer.ADMIN_KEY, "room", "room-a", "dummy_publisher", true);
    assertThat(admin.send("create", fields)).isInstanceOf(JanusReply.JanusAnswer.class);
    assertThat(admin.send("listparticipants", Map.of("room", "room-a")))
        .isInstanceOfSatisfying(
            JanusReply.JanusAnswer.class,
            answer -> {
              JsonNode dummy = answer.response().path("participants").path(0);
              assertThat(dummy.path("dummy").asBoolean(false)).isTrue();
              assertThat(dummy.path("publisher").asBoolean(false)).isTrue();
              assertThat(dummy.path("id").isString()).isTrue();
            });
    assertThat(listed("room-a")).isEmpty();
    assertThat(client.activity("room-a")).isInstanceOf(RoomActivity.RoomEmpty.class);
  }

  @Test
  void anIdIsUniqueAmongThosePresentAndMayComeAgain() {
    create("room-a", "1234");
    assertThat(server.join("room-a", "0", Optional.of("alice"), Optional.empty()))
        .isEqualTo(new JanusJoin.JanusJoinRefused(433));
    assertThat(server.join("room-a", "1234", Optional.of("alice"), Optional.empty()))
        .isEqualTo(new JanusJoin.JanusJoined("alice"));
    assertThat(server.join("room-a", "1234", Optional.of("alice"), Optional.empty()))
        .isEqualTo(new JanusJoin.JanusJoinRefused(436));
    server.leave("room-a", "alice");
    assertThat(server.join("room-a", "1234", Optional.of("alice"), Optional.empty()))
        .isEqualTo(new JanusJoin.JanusJoined("alice"));
    assertThat(server.join("room-a", "1234", Optional.empty(), Optional.empty()))
        .isInstanceOfSatisfying(
            JanusJoin.JanusJoined.class, joined -> assertThat(joined.id()).isNotEqualTo("alice"));
    assertThat(listed("room-a")).hasSize(2);
  }

  @Test
  void whoVanishesOrIsKickedHasLeft() throws Exception {
    create("room-a", "");
    for (String id : List.of("alice", "bob")) {
      assertThat(server.join("room-a", "", Optional.of(id), Optional.empty()))
          .isInstanceOf(JanusJoin.JanusJoined.class);
    }
    server.vanish("room-a", "alice");
    PresenceEvent _ = event(PresenceEvent.PresenceEventKind.LEFT, "alice");
    assertThat(listed("room-a")).containsExactly("bob");

    Map<String, String> kick = Map.of("room", "room-a", "secret", "s-room-a", "id", "bob");
    assertThat(admin.send("kick", kick)).isInstanceOf(JanusReply.JanusAnswer.class);
    PresenceEvent _ = event(PresenceEvent.PresenceEventKind.LEFT, "bob");
    assertThat(code(admin.send("kick", kick))).isEqualTo(428);
    assertThat(client.activity("room-a")).isInstanceOf(RoomActivity.RoomEmpty.class);
  }

  @Test
  void aRoomThatIsDestroyedIsMissingAndItsEndIsTold() throws Exception {
    create("room-a", "");
    assertThat(server.join("room-a", "", Optional.of("alice"), Optional.empty()))
        .isInstanceOf(JanusJoin.JanusJoined.class);
    assertThat(code(admin.send("destroy", Map.of("room", "room-a", "secret", "wrong"))))
        .isEqualTo(JanusAdmin.UNAUTHORIZED);
    assertThat(admin.send("destroy", Map.of("room", "room-a", "secret", "s-room-a")))
        .isInstanceOf(JanusReply.JanusAnswer.class);
    PresenceEvent ended = event(PresenceEvent.PresenceEventKind.ENDED, "");
    assertThat(ended.room()).isEqualTo("room-a");
    assertThat(code(admin.send("listparticipants", Map.of("room", "room-a"))))
        .isEqualTo(JanusAdmin.NO_SUCH_ROOM);
    assertThat(client.presence("room-a")).isInstanceOf(RoomPresence.RoomMissing.class);
  }

  @Test
  void aNewSecretAndPinTakeThePlaceOfTheOldOnesAndASecretIsLookedAtFirst() {
    create("room-a", "1234");
    Map<String, String> edit =
        Map.of("room", "room-a", "secret", "s-room-a", "new_secret", "s-other", "new_pin", "5678");
    assertThat(admin.send("edit", edit)).isInstanceOf(JanusReply.JanusAnswer.class);
    assertThat(code(admin.send("edit", edit))).isEqualTo(JanusAdmin.UNAUTHORIZED);
    assertThat(server.join("room-a", "1234", Optional.of("alice"), Optional.empty()))
        .isEqualTo(new JanusJoin.JanusJoinRefused(433));
    assertThat(server.join("room-a", "5678", Optional.of("alice"), Optional.empty()))
        .isEqualTo(new JanusJoin.JanusJoined("alice"));
    assertThat(kickOfNone("room-a", "s-room-a")).isEqualTo(JanusAdmin.UNAUTHORIZED);
    assertThat(kickOfNone("room-a", "s-other")).isEqualTo(428);
    assertThat(kickOfNone("room-b", "s-other")).isEqualTo(JanusAdmin.NO_SUCH_ROOM);
  }

  @Test
  void whatIsMissingOrOfAnotherTypeIsToldFromAWrongSecret() {
    create("room-a", "1234");
    assertThat(code(admin.send("kick", Map.of("room", "room-a", "id", "none")))).isEqualTo(429);
    assertThat(code(admin.send("kick", Map.of("room", "room-a", "secret", "wrong"))))
        .isEqualTo(429);
    assertThat(code(admin.send("destroy", Map.of("room", "room-a", "secret", 5)))).isEqualTo(430);
    assertThat(code(admin.send("enable_recording", Map.of("room", "room-b")))).isEqualTo(429);
    assertThat(code(admin.send("enable_recording", Map.of("room", "room-b", "record", "yes"))))
        .isEqualTo(430);
    Map<String, Object> wrong = Map.of("is_private", "yes", "publishers", -1);
    wrong.forEach(
        (name, value) -> {
          Map<String, Object> fields =
              Map.of("admin_key", JanusServer.ADMIN_KEY, "room", "room-b", name, value);
          assertThat(code(admin.send("create", fields))).as(name).isEqualTo(430);
        });
    Map<String, String> nothing = Map.of("room", "room-a", "secret", "s-room-a", "new_secret", "");
    assertThat(admin.send("edit", nothing)).isInstanceOf(JanusReply.JanusAnswer.class);
    assertThat(kickOfNone("room-a", "wrong")).isEqualTo(JanusAdmin.UNAUTHORIZED);
    assertThat(kickOfNone("room-a", "s-room-a")).isEqualTo(428);
  }

  private int kickOfNone(String room, String secret) {
    return code(admin.send("kick", Map.of("room", room, "secret", secret, "id", "none")));
  }

  @Test
  void privateRoomsAreListedWithTheKeyAlone() {
    create("room-a", "");
    create("room-b", "");
    assertThat(server.join("room-a", "", Optional.of("alice"), Optional.empty()))
        .isInstanceOf(JanusJoin.JanusJoined.class);
    assertThat(client.presence())
        .isInstanceOfSatisfying(
            DomainPresence.DomainPresenceKnown.class,
            known -> {
              assertThat(known.rooms()).containsOnlyKeys("room-a");
              assertThat(known.in("room-a")).hasSize(1);
            });
    assertThat(admin.send("list", Map.of()))
        .isInstanceOfSatisfying(
            JanusReply.JanusAnswer.class,
            answer -> assertThat(answer.response().path("list").size()).isZero());
    assertThat(code(admin.send("list", Map.of("admin_key", "wrong")))).isEqualTo(433);
  }

  @Test
  void aRoomIsMadeOnceAndWithTheKeyAlone() {
    create("room-a", "");
    Map<String, String> again = Map.of("admin_key", JanusServer.ADMIN_KEY, "room", "room-a");
    assertThat(code(admin.send("create", again))).isEqualTo(JanusAdmin.ROOM_EXISTS);
    assertThat(code(admin.send("create", Map.of("room", "room-b")))).isEqualTo(429);
    assertThat(code(admin.send("create", Map.of("room", "room-b", "admin_key", "wrong"))))
        .isEqualTo(JanusAdmin.UNAUTHORIZED);
    assertThat(code(admin.send("listparticipants", Map.of("room", 5)))).isEqualTo(430);
  }

  @Test
  void aWrongSecretIsARefusalAndNoEmptyRoom() {
    create("room-a", "");
    JanusClient stranger =
        new JanusClient(admin("wrong", JanusServer.ADMIN_KEY), InstantSource.system());
    assertThat(stranger.presence("room-a")).isInstanceOf(RoomPresence.RoomPresenceUnknown.class);
    assertThat(stranger.presence()).isInstanceOf(DomainPresence.DomainPresenceUnknown.class);
    assertThat(
            new JanusClient(admin(JanusServer.ADMIN_SECRET, "wrong"), InstantSource.system())
                .presence())
        .isInstanceOf(DomainPresence.DomainPresenceUnknown.class);
  }
}
