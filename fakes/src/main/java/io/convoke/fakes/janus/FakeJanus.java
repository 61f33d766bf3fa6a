package io.convoke.fakes.janus;

import io.convoke.fakes.orchestrator.FakeApiError;
import io.convoke.fakes.orchestrator.FakeApiServer;
import io.convoke.fakes.orchestrator.FakeReply;
import io.convoke.fakes.orchestrator.FakeRequest;
import io.convoke.fakes.orchestrator.RequestFaults;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Predicate;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * The control side of a Janus 1.1: {@code message_plugin} of its admin API for the VideoRoom plugin
 * with {@code string_ids}, and the posts of its sample event handler. It has no media. Its rules
 * stand in docs/spec/originals.md, and a contract holds it to a real Janus.
 */
public final class FakeJanus implements JanusServer {
  private static final JsonMapper JSON = new JsonMapper();
  private static final String PLUGIN = "janus.plugin.videoroom";

  /** Fields of {@code create}. Source: {@code create_parameters} in the plugin. */
  private static final List<String> STRINGS =
      List.of("room", "description", "secret", "pin", "audiocodec", "rec_dir");

  private static final List<String> BOOLEANS =
      List.of(
          "is_private",
          "record",
          "lock_record",
          "notify_joining",
          "audiolevel_event",
          "permanent",
          "dummy_publisher");
  private static final List<String> NUMBERS =
      List.of("publishers", "audio_active_packets", "audio_level_average");

  /** Fields of {@code edit}. Source: {@code edit_parameters} there. */
  private static final List<String> EDITED = List.of("new_secret", "new_pin", "new_rec_dir");

  private final FakeApiServer server =
      new FakeApiServer(this::handle, error -> Map.of("error", error.message()));
  private final Map<String, FakeRoom> rooms = new LinkedHashMap<>();
  private final List<String> requests = new ArrayList<>();
  private final FakeJanusEvents events = new FakeJanusEvents(EVENT_PASSWORD);

  /** Without a secret or a PIN each one fits; an empty one must be given. */
  private record FakeRoom(
      String name,
      Optional<String> secret,
      Optional<String> pin,
      boolean hidden,
      boolean record,
      String folder,
      Map<String, FakeGuest> guests) {}

  /** {@code dummy}: a publisher that Janus itself makes, which is no participant. */
  private record FakeGuest(String id, Optional<String> display, boolean dummy) {}

  private boolean keyless;

  /** What the plugin refuses. */
  private static final class Refusal extends RuntimeException {
    private final int code;

    Refusal(int code, String reason) {
      super(reason);
      this.code = code;
    }
  }

  @Override
  public URI adminUrl() {
    return server.url().resolve("/admin");
  }

  /** Posts events to this address from now on. */
  public void postEventsTo(URI backend) {
    events.to(backend);
  }

  /** The posts of events. */
  public FakeJanusEvents events() {
    return events;
  }

  /** Faults of the next requests. */
  public RequestFaults faults() {
    return server.faults();
  }

  /** Violations of the API by clients. */
  public List<String> complaints() {
    return server.complaints();
  }

  /** The plugin's requests so far, each as its name and room. */
  public synchronized List<String> requests() {
    return List.copyOf(requests);
  }

  /**
   * The plugin has no key from now on: it ignores the one of a request, hides private rooms from
   * everybody, and lets everybody make rooms.
   */
  public synchronized void withoutAdminKey() {
    keyless = true;
  }

  /** Where a room is recorded; empty if it is not. */
  public synchronized Optional<String> recordedIn(String room) {
    return Optional.ofNullable(rooms.get(room)).filter(FakeRoom::record).map(FakeRoom::folder);
  }

  /** Forgets every room, as a restart does, without an event about who was in it. */
  public synchronized void restart() {
    rooms.clear();
  }

  @Override
  public synchronized JanusJoin join(
      String room, String pin, Optional<String> id, Optional<String> display) {
    FakeRoom wanted = rooms.get(room);
    if (wanted == null) {
      return new JanusJoin.JanusJoinRefused(426);
    }
    if (wanted.pin().isPresent() && !wanted.pin().get().equals(pin)) {
      return new JanusJoin.JanusJoinRefused(433);
    }
    String chosen = id.orElseGet(() -> UUID.randomUUID().toString());
    if (wanted.guests().containsKey(chosen)) {
      return new JanusJoin.JanusJoinRefused(436);
    }
    wanted.guests().put(chosen, new FakeGuest(chosen, display, false));
    ObjectNode data = event("joined", room, Optional.of(chosen));
    data.put("private_id", ThreadLocalRandom.current().nextInt(1, Integer.MAX_VALUE));
    display.ifPresent(name -> data.put("display", name));
    events.happened(data, true);
    return new JanusJoin.JanusJoined(chosen);
  }

  @Override
  public synchronized void leave(String room, String id) {
    if (removed(room, id)) {
      events.happened(event("leaving", room, Optional.of(id)), false);
    }
  }

  @Override
  public synchronized void vanish(String room, String id) {
    if (removed(room, id)) {
      events.happened(event("unpublished", room, Optional.of(id)), false);
      events.happened(event("unpublished", room, Optional.of(id)), false);
      events.happened(event("leaving", room, Optional.of(id)), false);
    }
  }

  private boolean removed(String room, String id) {
    FakeRoom left = rooms.get(room);
    return left != null && left.guests().remove(id) != null;
  }

  @Override
  public void close() {
    server.close();
    events.close();
  }

  private FakeReply handle(FakeRequest request) {
    if (!request.path().equals(List.of("admin")) || !request.method().equals("POST")) {
      throw new FakeApiError(404, "no such endpoint");
    }
    JsonNode message = request.object();
    String transaction = message.path("transaction").asString("");
    if (transaction.isEmpty()) {
      server.complain("a message without a transaction");
      return FakeReply.JsonReply.of(
          Map.of("janus", "error", "error", fault(456, "Missing mandatory element (transaction)")));
    }
    if (!message.path("admin_secret").asString("").equals(ADMIN_SECRET)) {
      return error(transaction, 403, "Unauthorized request (wrong or missing secret/token)");
    }
    if (!message.path("janus").asString("").equals("message_plugin")) {
      server.complain("an unknown message: " + message.path("janus"));
      return error(transaction, 457, "Unknown request");
    }
    if (!message.path("plugin").asString("").equals(PLUGIN)) {
      server.complain("an unknown plugin: " + message.path("plugin"));
      return error(transaction, 460, "Invalid plugin");
    }
    Object response;
    try {
      response = plugin(message.path("request"));
    } catch (Refusal refusal) {
      response =
          Map.of(
              "videoroom",
              "event",
              "error_code",
              refusal.code,
              "error",
              String.valueOf(refusal.getMessage()));
    }
    return FakeReply.JsonReply.of(
        Map.of("janus", "success", "transaction", transaction, "response", response));
  }

  private static FakeReply error(String transaction, int code, String reason) {
    return FakeReply.JsonReply.of(
        Map.of("janus", "error", "transaction", transaction, "error", fault(code, reason)));
  }

  private static Map<String, Object> fault(int code, String reason) {
    return Map.of("code", code, "reason", reason);
  }

  private synchronized Object plugin(JsonNode request) {
    String name = request.path("request").asString("");
    requests.add(name + " " + request.path("room").asString(""));
    return switch (name) {
      case "create" -> create(request);
      case "exists" ->
          Map.of(
              "videoroom", "success",
              "room", name(request),
              "exists", rooms.containsKey(name(request)));
      case "list" -> Map.of("videoroom", "success", "list", list(request));
      case "listparticipants" -> listParticipants(room(request));
      case "kick" -> kick(request);
      case "edit" -> edit(request);
      case "enable_recording" -> enableRecording(request);
      case "destroy" -> destroy(request);
      default -> {
        server.complain("an unknown request: " + name);
        throw new Refusal(423, "Unknown request '" + name + "'");
      }
    };
  }

  private Object create(JsonNode request) {
    STRINGS.forEach(field -> typed(request, field, "a string", JsonNode::isString));
    BOOLEANS.forEach(field -> typed(request, field, "a boolean", JsonNode::isBoolean));
    NUMBERS.forEach(field -> typed(request, field, "a positive integer", FakeJanus::countable));
    if (!keyless && !needed(request, "admin_key").equals(ADMIN_KEY)) {
      throw new Refusal(433, "Unauthorized (wrong admin_key)");
    }
    String name = name(request);
    if (rooms.containsKey(name)) {
      throw new Refusal(427, "Room " + name + " already exists");
    }
    Map<String, FakeGuest> guests = new LinkedHashMap<>();
    if (request.path("dummy_publisher").asBoolean(false)) {
      String id = Long.toString(ThreadLocalRandom.current().nextLong(1, 1L << 52));
      guests.put(id, new FakeGuest(id, Optional.of("Dummy publisher"), true));
    }
    rooms.put(
        name,
        new FakeRoom(
            name,
            text(request, "secret"),
            text(request, "pin"),
            request.path("is_private").asBoolean(false),
            request.path("record").asBoolean(false),
            request.path("rec_dir").asString(""),
            guests));
    events.happened(event("created", name, Optional.empty()), false);
    return Map.of("videoroom", "created", "room", name, "permanent", false);
  }

  /** Private rooms are listed with the key of the plugin alone. */
  private List<Object> list(JsonNode request) {
    boolean all = !keyless && !request.path("admin_key").asString("").isEmpty();
    if (all && !request.path("admin_key").asString("").equals(ADMIN_KEY)) {
      throw new Refusal(433, "Unauthorized (wrong admin_key)");
    }
    return rooms.values().stream()
        .filter(room -> all || !room.hidden())
        .<Object>map(
            room ->
                Map.of(
                    "room", room.name(),
                    "description", "Room " + room.name(),
                    "pin_required", room.pin().isPresent(),
                    "is_private", room.hidden(),
                    "num_participants", room.guests().size()))
        .toList();
  }

  /** In no order: Janus has them in a hash table. */
  private static Object listParticipants(FakeRoom room) {
    List<ObjectNode> all = new ArrayList<>();
    for (FakeGuest guest : room.guests().values()) {
      ObjectNode one = JSON.createObjectNode();
      one.put("id", guest.id());
      guest.display().ifPresent(display -> one.put("display", display));
      if (guest.dummy()) {
        one.put("dummy", true);
      }
      one.put("publisher", guest.dummy());
      all.add(one);
    }
    Collections.shuffle(all);
    return Map.of("videoroom", "participants", "room", room.name(), "participants", all);
  }

  /** The one who is kicked has no {@code leaving}. */
  private Object kick(JsonNode request) {
    String id = needed(request, "id");
    FakeRoom room = opened(request);
    if (room.guests().remove(id) == null) {
      throw new Refusal(428, "No such user " + id + " in room " + room.name());
    }
    events.happened(event("kicked", room.name(), Optional.of(id)), false);
    return Map.of("videoroom", "success");
  }

  /** Those who were in the room have no event of their own. */
  private Object destroy(JsonNode request) {
    FakeRoom room = opened(request);
    rooms.remove(room.name());
    events.happened(event("destroyed", room.name(), Optional.empty()), false);
    return Map.of("videoroom", "destroyed", "room", room.name(), "permanent", false);
  }

  /** An empty secret or PIN leaves the room as it is. */
  private Object edit(JsonNode request) {
    EDITED.forEach(field -> typed(request, field, "a string", JsonNode::isString));
    FakeRoom room = opened(request);
    rooms.put(
        room.name(),
        new FakeRoom(
            room.name(),
            text(request, "new_secret").filter(it -> !it.isEmpty()).or(room::secret),
            text(request, "new_pin").filter(it -> !it.isEmpty()).or(room::pin),
            room.hidden(),
            room.record(),
            request.path("new_rec_dir").asString(room.folder()),
            room.guests()));
    events.happened(event("edited", room.name(), Optional.empty()), false);
    return Map.of("videoroom", "edited", "room", room.name(), "permanent", false);
  }

  private Object enableRecording(JsonNode request) {
    if (!request.has("record")) {
      throw missing("record");
    }
    typed(request, "record", "a boolean", JsonNode::isBoolean);
    FakeRoom room = opened(request);
    boolean record = request.path("record").asBoolean();
    rooms.put(
        room.name(),
        new FakeRoom(
            room.name(),
            room.secret(),
            room.pin(),
            room.hidden(),
            record,
            room.folder(),
            room.guests()));
    return Map.of("videoroom", "success", "record", record);
  }

  private FakeRoom opened(JsonNode request) {
    FakeRoom room = room(request);
    if (room.secret().isPresent() && !room.secret().get().equals(needed(request, "secret"))) {
      throw new Refusal(433, "Unauthorized (wrong secret)");
    }
    return room;
  }

  private FakeRoom room(JsonNode request) {
    String name = name(request);
    FakeRoom room = rooms.get(name);
    if (room == null) {
      throw new Refusal(426, "No such room (" + name + ")");
    }
    return room;
  }

  private static String name(JsonNode request) {
    return needed(request, "room");
  }

  private static String needed(JsonNode request, String name) {
    typed(request, name, "a string", JsonNode::isString);
    return text(request, name).orElseThrow(() -> missing(name));
  }

  private static Optional<String> text(JsonNode request, String name) {
    return request.has(name) ? Optional.of(request.path(name).asString("")) : Optional.empty();
  }

  private static Refusal missing(String name) {
    return new Refusal(429, "Missing mandatory element (" + name + ")");
  }

  /** Refuses a field that is there and of another type. */
  private static void typed(
      JsonNode request, String name, String type, Predicate<JsonNode> isOfType) {
    if (request.has(name) && !isOfType.test(request.path(name))) {
      throw new Refusal(430, "Invalid element type (" + name + " should be " + type + ")");
    }
  }

  private static boolean countable(JsonNode value) {
    return value.isIntegralNumber() && value.asLong() >= 0;
  }

  private static ObjectNode event(String what, String room, Optional<String> id) {
    ObjectNode data = JSON.createObjectNode();
    data.put("event", what);
    data.put("room", room);
    id.ifPresent(it -> data.put("id", it));
    return data;
  }
}
