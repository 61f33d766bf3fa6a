package io.convoke.server.join;

import io.convoke.engine.crypto.SecretBox;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.VoidSqlWork;
import io.convoke.server.http.ApiScope;
import io.convoke.server.http.CallerRole;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.HttpConfig;
import io.convoke.server.http.Problem;
import io.convoke.server.http.QuotaCheck;
import io.convoke.server.http.QuotaName;
import io.convoke.server.http.Request;
import io.convoke.server.http.Response;
import io.convoke.server.http.Schema;
import io.convoke.server.http.auth.BrowserSessions;
import io.convoke.server.http.auth.CallerRateLimiter;
import io.convoke.server.join.JanusRoomKeys.RoomKey;
import io.convoke.server.join.JoinMessage.JoinParameters;
import io.convoke.server.join.JoinPass.JoinRole;
import io.convoke.server.join.RecordedRooms.RecordingRule;
import io.convoke.server.platform.janus.JanusAdmin;
import io.convoke.server.platform.janus.JanusAdmin.JanusReply;
import io.convoke.server.platform.janus.JanusSessions;
import io.convoke.server.platform.janus.JanusSessions.SessionReply;
import io.convoke.server.rooms.RoomClaims;
import java.net.URI;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Makes rooms and their links, and passes what the join page says on to Janus. The page has a
 * link's token and nothing else: the secrets of Janus and the PIN of the room stay here.
 */
public final class JoinEndpoints {
  private static final String PLATFORM = "janus";
  private static final String TOKEN = "X-Join-Token";
  private static final int DAY = 86_400;
  private static final int EXPIRY_MIN = 60;
  private static final int EXPIRY_MAX = 30 * DAY;

  /** The pause before a room that is being removed is looked at again; each is twice the last. */
  private static final Duration LOOK = Duration.ofMillis(50);

  private static final Duration LOOK_MAX = Duration.ofSeconds(1);

  /** Twice the participants that a room takes, since pages come and go. */
  private static final int WAITING_MAX = 100;

  private static final Pattern HOST = Pattern.compile("[A-Za-z0-9._:\\[\\]-]{1,255}");
  private static final Schema MESSAGE =
      Schema.anyObject().describe("A message as Janus documents it, without secrets.");
  private static final Schema ROOM = Schema.text().describe("Its name on the platform.");

  private final Database database;
  private final JanusAdmin admin;
  private final JanusSessions sessions;
  private final RoomClaims claims;
  private final RecordedRooms recorded;
  private final JanusRooms rooms;
  private final QuotaCheck quotas;
  private final JoinTokens tokens;
  private final JanusRoomKeys keys;
  private final EgressTokens egress;
  private final Optional<URI> publicUrl;
  private final InstantSource clock;
  private final SecureRandom random = new SecureRandom();
  private final CallerRateLimiter limiter =
      new CallerRateLimiter(new HttpConfig.RateLimitConfig(100, 500), System::nanoTime);

  /** Requests for events that wait now, by room. */
  private final ConcurrentHashMap<String, Integer> waiting = new ConcurrentHashMap<>();

  /**
   * Endpoints over a Janus.
   *
   * @param publicUrl under which browsers reach this server; without it links have the address of
   *     the request
   */
  public JoinEndpoints(
      Database database,
      JanusAdmin admin,
      JanusSessions sessions,
      RoomClaims claims,
      RecordedRooms recorded,
      QuotaCheck quotas,
      SecretBox secrets,
      Optional<URI> publicUrl,
      InstantSource clock) {
    this.database = database;
    this.admin = admin;
    this.sessions = sessions;
    this.claims = claims;
    this.recorded = recorded;
    this.rooms = new JanusRooms(database);
    this.quotas = quotas;
    this.tokens = new JoinTokens(secrets);
    this.keys = new JanusRoomKeys(admin, secrets);
    this.egress = new EgressTokens(admin, secrets);
    this.publicUrl = publicUrl;
    this.clock = clock;
  }

  private record RoomRequest(
      Optional<String> name, Optional<Integer> expiresIn, Optional<Boolean> record) {}

  /** What a user gets. */
  private record NewRoom(
      String platform,
      String room,
      boolean recorded,
      Instant expiresAt,
      RoomLinks links,
      String egressToken) {}

  private record RoomLinks(String host, String guest) {}

  private record RemoveRequest(String id) {}

  /** {@code POST /rooms}, and those of the page under {@code /join}. */
  public List<Endpoint> endpoints() {
    return List.of(
        Endpoint.post("/rooms")
            .id("createRoom")
            .tag("rooms")
            .summary("Make a room that people join by a link in their browser.")
            .description(
                "The room is a meeting of platform janus and belongs to its user. A name that is the"
                    + " user's already gets new links; without a name the room gets a random one."
                    + " Links expire after expires_in seconds, a day without it. With record Janus"
                    + " records who speaks, apart; without it a room stays as it is.")
            .roles(CallerRole.USER)
            .scope(ApiScope.MEETINGS)
            .body(
                Schema.object()
                    .optional("name", Schema.pattern("^[a-z0-9][a-z0-9-]{0,63}$"))
                    .optional("expires_in", Schema.integer(EXPIRY_MIN, EXPIRY_MAX))
                    .optional("record", Schema.bool()))
            .creates()
            .answers(
                201,
                Schema.object()
                    .required("platform", Schema.oneOf(PLATFORM))
                    .required("room", ROOM)
                    .required("recorded", Schema.bool())
                    .required("expires_at", Schema.instant())
                    .required(
                        "links",
                        Schema.object()
                            .required("host", Schema.text().describe("Also removes others."))
                            .required("guest", Schema.text()))
                    .required(
                        "egress_token",
                        Schema.text()
                            .describe(
                                "The access_token of this user's egress tasks for this room.")))
            .problems(400, 403, 503)
            .handle(this::create),
        page(Endpoint.get("/join/room"), "readJoinPass")
            .summary("What a link is for.")
            .answers(
                200,
                Schema.object()
                    .required("room", ROOM)
                    .required("role", Schema.oneOf("host", "guest"))
                    .required("recorded", Schema.bool())
                    .required("expires_at", Schema.instant()))
            .problems(403)
            .handle(this::read),
        page(Endpoint.post("/join/remove"), "removeFromRoom")
            .summary("Remove a participant, as a host.")
            .body(Schema.object().required("id", Schema.printable(1, 255)))
            .answers(204)
            .problems(403, 404, 503)
            .handle(this::remove),
        page(Endpoint.post("/join/janus"), "createJoinSession")
            .summary("Open a session at Janus.")
            .body(MESSAGE)
            .answers(200, Schema.any())
            .problems(400, 503)
            .handle(this::open),
        page(Endpoint.post("/join/janus/{session}"), "sendToJoinSession")
            .summary("Attach a handle, keep the session alive, or end it.")
            .body(MESSAGE)
            .answers(200, Schema.any())
            .problems(400, 503)
            .handle(this::toSession),
        page(Endpoint.get("/join/janus/{session}"), "awaitJoinEvents")
            .summary("Wait for the events of a session, 25 s at most.")
            .answers(200, Schema.any())
            .problems(503)
            .handle(this::await),
        page(Endpoint.post("/join/janus/{session}/{handle}"), "sendToJoinHandle")
            .summary("Join, publish, subscribe or leave; room, PIN and id come from the link.")
            .body(MESSAGE)
            .answers(200, Schema.any())
            .problems(400, 403, 503)
            .handle(this::toHandle));
  }

  private static Endpoint.Builder page(Endpoint.Builder endpoint, String id) {
    return endpoint
        .id(id)
        .tag("join")
        .description("For the join page: the token of its link is in X-Join-Token.")
        .roles(CallerRole.PUBLIC)
        .header(TOKEN, Schema.text().describe("What the link has after its #."))
        .problems(401, 429);
  }

  private Response create(Request request) {
    RoomRequest wanted = request.body(RoomRequest.class);
    long user = request.actingUser();
    if (wanted.record().orElse(false) && !recorded.possible()) {
      throw Problem.badRequest("record", "needs CONVOKE_JANUS_RECORDINGS on this server");
    }
    boolean ours = wanted.name().isEmpty();
    String room = wanted.name().orElseGet(this::newName);
    if (!rooms.has(room)) {
      request.permitOneMore(QuotaName.ROOMS);
    }
    var _ = request.action().target("room", PLATFORM + "/" + room).after(wanted);
    whenOpen(
        tx -> {
          rooms.use(tx, room, user);
          if (!claims.claim(tx, PLATFORM, room, user, ours)) {
            throw claims.refused();
          }
          wanted.record().ifPresent(record -> recorded.set(tx, PLATFORM, room, user, record));
        });
    boolean records;
    try {
      records = make(room, wanted.record().isPresent());
    } catch (Problem failed) {
      if (ours) {
        giveUp(room, user);
      }
      throw failed;
    }
    Instant expires = clock.instant().plus(Duration.ofSeconds(wanted.expiresIn().orElse(DAY)));
    return Response.created(
        new NewRoom(
            PLATFORM,
            room,
            records,
            Instant.ofEpochSecond(expires.getEpochSecond()),
            new RoomLinks(
                link(request, new JoinPass(room, user, JoinRole.HOST, expires)),
                link(request, new JoinPass(room, user, JoinRole.GUEST, expires))),
            egress.of(user, room)));
  }

  /** Writes what uses a room, once a removal that is under way has ended: within moments. */
  private void whenOpen(VoidSqlWork write) {
    long end = System.nanoTime() + JanusRooms.CLOSED_MAX.toNanos();
    long pause = LOOK.toNanos();
    while (!written(write)) {
      long left = end - System.nanoTime();
      if (left <= 0) {
        throw Problem.unavailable("Janus");
      }
      LockSupport.parkNanos(Math.min(pause, left));
      pause = Math.min(2 * pause, LOOK_MAX.toNanos());
    }
  }

  /** Writes what uses a room; false, and nothing is committed, if the room is closed. */
  private boolean written(VoidSqlWork write) {
    try {
      database.run(write);
      return true;
    } catch (JanusRooms.RoomClosed _) {
      return false;
    }
  }

  /** Leaves nothing of a room whose name only this request knows; Janus may have it anyway. */
  private void giveUp(String room, long user) {
    database.run(
        tx -> {
          rooms.removeSoon(tx, room);
          claims.forget(tx, PLATFORM, room, user);
          recorded.forget(tx, PLATFORM, room);
        });
  }

  /**
   * Makes the room at Janus if it is not there, and applies its rule of recording; returns whether
   * it is recorded. Janus is told again where another request changed the rule meanwhile.
   *
   * @param asked whether this request set the rule, so that Janus must be told and a failure is
   *     503; otherwise only the end of a rule is told, and while that fails the room counts as
   *     recorded
   */
  private boolean make(String room, boolean asked) {
    RecordingRule rule = recorded.rule(PLATFORM, room);
    boolean records = rule == RecordingRule.HOLDS;
    boolean ended = rule == RecordingRule.ENDED;
    if (!makeNew(room, records) && (asked || ended) && !setRecording(room, records)) {
      if (asked) {
        throw Problem.unavailable("Janus");
      }
      return true;
    }
    if (ended) {
      recorded.forgetEnded(PLATFORM, room);
    }
    boolean same = records == (recorded.rule(PLATFORM, room) == RecordingRule.HOLDS);
    return same ? records : make(room, true);
  }

  /** Has Janus record a room that is there, or stop that; false if Janus did not. */
  private boolean setRecording(String room, boolean records) {
    Optional<RoomKey> key = keys.current(room);
    if (key.isEmpty()) {
      return false;
    }
    String secret = key.get().secret();
    if (records) {
      Map<String, Object> fields = recorded.fields(room, true);
      JanusReply placed =
          admin.send(
              "edit", Map.of("room", room, "secret", secret, "new_rec_dir", fields.get("rec_dir")));
      if (!(placed instanceof JanusReply.JanusAnswer)) {
        return false;
      }
    }
    return admin.send("enable_recording", Map.of("room", room, "secret", secret, "record", records))
        instanceof JanusReply.JanusAnswer;
  }

  private String newName() {
    byte[] bytes = new byte[10];
    random.nextBytes(bytes);
    return "room-" + HexFormat.of().formatHex(bytes);
  }

  /** The token is behind the #, so that no server and no log sees it. */
  private String link(Request request, JoinPass pass) {
    String origin = publicUrl.map(URI::toString).orElseGet(() -> origin(request));
    return origin.replaceAll("/+$", "") + "/join.html#" + tokens.of(pass);
  }

  private static String origin(Request request) {
    String host =
        request
            .header("Host")
            .filter(it -> HOST.matcher(it).matches())
            .orElseThrow(() -> Problem.badRequest("Host", "is not an address"));
    return (BrowserSessions.https(request) ? "https://" : "http://") + host;
  }

  /** Makes the room at Janus; false if it is there. */
  private boolean makeNew(String room, boolean records) {
    RoomKey key = keys.newest(room);
    Map<String, Object> fields =
        new HashMap<>(
            Map.of(
                "admin_key",
                admin.adminKey(),
                "room",
                room,
                "secret",
                key.secret(),
                "pin",
                key.pin(),
                "is_private",
                true,
                "publishers",
                50,
                "audiocodec",
                "opus",
                "notify_joining",
                true,
                "audiolevel_event",
                true));
    // Half a second of a voice that is not loud; Janus' own values need two seconds and a loud one.
    fields.put("audio_active_packets", 25);
    fields.put("audio_level_average", 50);
    fields.putAll(recorded.fields(room, records));
    return switch (admin.send("create", fields)) {
      case JanusReply.JanusAnswer _ -> true;
      case JanusReply.JanusRefusal(int code, String _) when code == JanusAdmin.ROOM_EXISTS -> false;
      case JanusReply.JanusRefusal _, JanusReply.JanusCallFailed _ ->
          throw Problem.unavailable("Janus");
    };
  }

  private Response read(Request request) {
    JoinPass pass = pass(request);
    requireUnexpired(pass);
    requireOwner(pass);
    return Response.ok(
        Map.of(
            "room",
            pass.room(),
            "role",
            pass.role(),
            "recorded",
            recorded.rule(PLATFORM, pass.room()) != RecordingRule.NONE,
            "expires_at",
            pass.expires()));
  }

  private Response remove(Request request) {
    JoinPass pass = pass(request);
    if (pass.role() != JoinRole.HOST) {
      throw Problem.of(403, "host_needed", "Only a host removes others.");
    }
    requireOwner(pass);
    String id = request.body(RemoveRequest.class).id();
    for (RoomKey key : keys.of(pass.room())) {
      switch (admin.send("kick", Map.of("room", pass.room(), "secret", key.secret(), "id", id))) {
        case JanusReply.JanusAnswer _ -> {
          return Response.noContent();
        }
        case JanusReply.JanusRefusal(int code, String _) -> {
          if (code != JanusAdmin.UNAUTHORIZED) {
            throw Problem.notFound("participant");
          }
        }
        case JanusReply.JanusCallFailed _ -> throw Problem.unavailable("Janus");
      }
    }
    throw Problem.unavailable("Janus");
  }

  private Response open(Request request) {
    requireUnexpired(pass(request));
    return send("", JoinMessage.toServer(request.json()));
  }

  private Response toSession(Request request) {
    JoinPass _ = pass(request);
    return send("/" + request.pathId("session"), JoinMessage.toSession(request.json()));
  }

  private Response toHandle(Request request) {
    JsonNode message = request.json();
    JoinPass pass = pass(request);
    String path = "/" + request.pathId("session") + "/" + request.pathId("handle");
    if (!JoinMessage.joins(message)) {
      return send(path, JoinMessage.toHandle(message, new JoinParameters(pass.room(), "", "")));
    }
    boolean enters = JoinMessage.publishes(message);
    if (enters) {
      requireUnexpired(pass);
    }
    requireOwner(pass);
    if (enters) {
      if (!rooms.has(pass.room())) {
        quotas.permitOneMore(QuotaName.ROOMS, pass.user(), 0);
      }
      whenOpen(tx -> rooms.use(tx, pass.room(), pass.user()));
      boolean _ = make(pass.room(), false);
    }
    byte[] bytes = new byte[8];
    random.nextBytes(bytes);
    JoinParameters terms =
        new JoinParameters(
            pass.room(),
            // While the admin API does not answer, the newest is the likeliest.
            keys.current(pass.room()).orElseGet(() -> keys.newest(pass.room())).pin(),
            pass.role().text() + "-" + HexFormat.of().formatHex(bytes));
    return send(path, JoinMessage.toHandle(message, terms));
  }

  /**
   * A link that has expired lets no one in. Who is in the room stays and hears who comes later, so
   * nothing else asks this: what it needs is the id of a session or of a participant, and only
   * those who came in have them.
   */
  private void requireUnexpired(JoinPass pass) {
    if (pass.expiredAt(clock.instant())) {
      throw Problem.unauthorized();
    }
  }

  /** A link is worth nothing once its room belongs to another user. */
  private void requireOwner(JoinPass pass) {
    if (!claims.owns(PLATFORM, pass.room(), pass.user())) {
      throw Problem.of(
          403, "room_moved", "This link is not valid any more: the room has a new owner.");
    }
  }

  private Response await(Request request) {
    String room = pass(request).room();
    if (waiting.merge(room, 1, Integer::sum) > WAITING_MAX) {
      var _ = waiting.computeIfPresent(room, JoinEndpoints::oneLess);
      throw Problem.tooMany("too_many_participants", "The room is full.", Duration.ofSeconds(5));
    }
    try {
      return answer(sessions.await("/" + request.pathId("session")));
    } finally {
      var _ = waiting.computeIfPresent(room, JoinEndpoints::oneLess);
    }
  }

  private static @Nullable Integer oneLess(String room, Integer count) {
    return count > 1 ? count - 1 : null;
  }

  private Response send(String path, Optional<ObjectNode> message) {
    return answer(
        sessions.send(
            path,
            message.orElseThrow(
                () -> Problem.badRequest("janus", "is no message that a participant needs"))));
  }

  private static Response answer(SessionReply reply) {
    return switch (reply) {
      case SessionReply.SessionAnswered(byte[] json) -> Response.json(json);
      case SessionReply.SessionCallFailed _ -> throw Problem.unavailable("Janus");
    };
  }

  /** The pass of a link of ours, which may have expired. */
  private JoinPass pass(Request request) {
    JoinPass pass = request.header(TOKEN).flatMap(tokens::read).orElseThrow(Problem::unauthorized);
    CallerRateLimiter.RateLimitState state = limiter.tryAcquire(pass.room() + " " + request.peer());
    if (!state.admitted()) {
      throw Problem.tooMany("rate_limited", "Too many requests to this room.", state.untilNext());
    }
    return pass;
  }
}
