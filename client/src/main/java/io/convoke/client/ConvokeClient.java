package io.convoke.client;

import io.convoke.client.ApiTransport.ApiReply;
import io.convoke.client.ApiTransport.ApiRequest;
import java.net.URI;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A client of one server, for one credential. Thread-safe; close it when no more is asked.
 *
 * {@snippet :
 * try (ConvokeClient convoke = ConvokeClient.builder(URI.create("https://convoke.example.org")).apiKey(key).build()) {
 *   Meeting meeting = convoke.startBot(NewBot.in("daily", "stand-up").named("Notes"));
 *   try (EventStream events = convoke.events(Map.of("subject", "meeting:" + meeting.id()))) {
 *     events.forEachRemaining(event -> System.out.println(event.type()));
 *   }
 * }
 * }
 *
 * <p>A call waits for its whole answer, 30 s unless told otherwise, and is repeated while the
 * server is away or asks to wait, if it changes nothing or carries an idempotency key: calls that
 * create something always do. What fails then is a {@link ConvokeException}.
 */
public final class ConvokeClient implements AutoCloseable {
  private static final String ITEMS = "items";

  private final ApiTransport transport;

  private ConvokeClient(ApiTransport transport) {
    this.transport = transport;
  }

  /** A client of the server at this address. */
  public static Builder builder(URI server) {
    return new Builder(server);
  }

  /** Which credential is shown, and how long is waited. */
  public static final class Builder {
    private final URI server;
    private final Map<String, String> headers = new LinkedHashMap<>();
    private Duration answerTimeout = Duration.ofSeconds(30);
    private RetrySettings retries = RetrySettings.DEFAULT;

    private Builder(URI server) {
      this.server = server;
    }

    /** Shows a user's API key. */
    public Builder apiKey(String key) {
      headers.put("X-API-Key", key);
      return this;
    }

    /** Shows the admin key. */
    public Builder adminKey(String key) {
      headers.put("X-Admin-API-Key", key);
      return this;
    }

    /** Shows a JWT. */
    public Builder bearer(String token) {
      headers.put("Authorization", "Bearer " + token);
      return this;
    }

    /** How long a call waits for its whole answer. */
    public Builder answerTimeout(Duration timeout) {
      this.answerTimeout = timeout;
      return this;
    }

    /** How calls are repeated. */
    public Builder retries(RetrySettings settings) {
      this.retries = settings;
      return this;
    }

    /** The client. */
    public ConvokeClient build() {
      return new ConvokeClient(new ApiTransport(server, headers, answerTimeout, retries));
    }
  }

  /** Who the credential is: {@code role}, {@code user_id}, {@code operator_role}. */
  public JsonNode whoAmI() {
    return get("/session", Map.of());
  }

  /**
   * Meetings, newest first.
   *
   * @param filters {@code status}, {@code platform}, {@code user_id}, {@code limit} of a page
   */
  public PagedList<Meeting> meetings(Map<String, String> filters) {
    return new PagedList<>(transport, "/meetings", filters, ITEMS, Meeting.class);
  }

  /** One meeting. */
  public Meeting meeting(long id) {
    return ApiJson.as(get("/meetings/" + id, Map.of()), Meeting.class);
  }

  /** Sends a bot into a meeting. */
  public Meeting startBot(NewBot bot) {
    return ApiJson.as(create("/bots/start", bot.body(), key()), Meeting.class);
  }

  /**
   * Asks a bot to leave.
   *
   * @param kill without the time to leave
   */
  public BotStatus stopBot(long meetingId, boolean kill) {
    ObjectNode body = ApiJson.MAPPER.createObjectNode();
    body.put("meeting_id", meetingId);
    body.put("kill", kill);
    // Repeatable: a bot that was asked to leave is not asked again.
    return ApiJson.as(send("POST", "/bots/stop", Optional.of(body), true), BotStatus.class);
  }

  /** The status of a bot. */
  public BotStatus botStatus(long meetingId) {
    Map<String, String> query = Map.of("meeting_id", String.valueOf(meetingId));
    return ApiJson.as(get("/bots/status", query), BotStatus.class);
  }

  /** The bots that have not ended, newest first. */
  public PagedList<Meeting> activeBots() {
    return new PagedList<>(transport, "/bots/active", Map.of(), ITEMS, Meeting.class);
  }

  /** The segments of a transcript, in the order of sessions and starts. */
  public PagedList<TranscriptSegment> transcript(long meetingId) {
    return new PagedList<>(
        transport,
        "/transcripts/" + meetingId,
        Map.of("limit", "1000"),
        "segments",
        TranscriptSegment.class);
  }

  /** A transcript as a document; of more than 20,000 segments the first ones. */
  public String transcript(long meetingId, TranscriptFormat format) {
    return transport
        .send(ApiRequest.get("/transcripts/" + meetingId, Map.of("format", format.parameter())))
        .body();
  }

  /** What was said in all meetings, by words or their stems. */
  public PagedList<SearchHit> search(String words) {
    return new PagedList<>(transport, "/search", Map.of("q", words), ITEMS, SearchHit.class);
  }

  /**
   * Submits a task.
   *
   * @param task the body of {@code POST /tasks}: {@code request_id}, {@code type}, {@code action},
   *     {@code channel}, {@code payload}, and if wanted {@code region}, {@code unique}
   */
  public DispatchTask submitTask(JsonNode task) {
    return ApiJson.as(create("/tasks", task, key()), DispatchTask.class);
  }

  /** A task. */
  public DispatchTask task(String id) {
    String path = "/tasks/" + ApiTransport.encoded(id);
    return ApiJson.as(get(path, Map.of()), DispatchTask.class);
  }

  /**
   * Tasks, newest first.
   *
   * @param filters {@code state}, {@code region}, {@code channel}, {@code type}
   */
  public PagedList<DispatchTask> tasks(Map<String, String> filters) {
    return new PagedList<>(transport, "/tasks", filters, ITEMS, DispatchTask.class);
  }

  /**
   * Makes a room that people join by a link.
   *
   * @param name empty: a random one
   */
  public RoomInvitation createRoom(Optional<String> name) {
    ObjectNode body = ApiJson.MAPPER.createObjectNode();
    name.ifPresent(it -> body.put("name", it));
    return ApiJson.as(create("/rooms", body, key()), RoomInvitation.class);
  }

  /**
   * Events from now on. Now is when this method answers: nothing that happens later is missed, even
   * if the first connection breaks before it showed an event.
   *
   * @param filters {@code type}, {@code subject}, {@code user_id}
   */
  public EventStream events(Map<String, String> filters) {
    Map<String, String> newest = Map.of("order", "newest", "limit", "1");
    return events(filters, get("/events", newest).path("next_after").asLong());
  }

  /** Events after this number. */
  public EventStream events(Map<String, String> filters, long after) {
    return new EventStream(transport, filters, after);
  }

  /**
   * Any list, as JSON.
   *
   * @param path of a GET whose answer has {@code items} and {@code next_cursor}
   */
  public PagedList<JsonNode> list(String path, Map<String, String> query) {
    return new PagedList<>(transport, path, query, ITEMS, JsonNode.class);
  }

  /** The JSON of any GET. */
  public JsonNode get(String path, Map<String, String> query) {
    return transport.send(ApiRequest.get(path, query)).json();
  }

  /**
   * Sends any change.
   *
   * @param repeatable whether sending it twice does no more than sending it once
   * @return the answer's JSON; an empty object if it has none
   */
  public JsonNode send(String method, String path, Optional<JsonNode> body, boolean repeatable) {
    ApiReply reply =
        transport.send(new ApiRequest(method, path, Map.of(), body, Map.of(), repeatable));
    return reply.body().isEmpty() ? ApiJson.MAPPER.createObjectNode() : reply.json();
  }

  /**
   * Creates something at most once for a key, however often it is called with it; so a program that
   * restarts may go on with a key that it has stored.
   *
   * @param path with its query, if any
   */
  public JsonNode create(String path, JsonNode body, String idempotencyKey) {
    Map<String, String> headers = Map.of("Idempotency-Key", idempotencyKey);
    return transport
        .send(new ApiRequest("POST", path, Map.of(), Optional.of(body), headers, true))
        .json();
  }

  private static String key() {
    return UUID.randomUUID().toString();
  }

  /** Ends streams and calls that wait. */
  @Override
  public void close() {
    transport.close();
  }
}
