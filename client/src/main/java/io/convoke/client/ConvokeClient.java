package io.convoke.client;

import io.convoke.client.types.BotStatusReport;
import io.convoke.client.types.Segment;
import io.convoke.client.types.SyncView;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/**
 * A client of one server, for one credential. Thread-safe; close it when no more is asked.
 *
 * {@snippet :
 * try (ConvokeClient convoke = ConvokeClient.builder(URI.create("https://convoke.example.org")).apiKey(key).build()) {
 *   Meeting meeting = convoke.call(StartBot.of("daily").nativeMeetingId("stand-up").botName("Notes"));
 *   try (EventStream events = convoke.events(Map.of("subject", "meeting:" + meeting.id()))) {
 *     events.forEachRemaining(event -> System.out.println(event.type()));
 *   }
 * }
 * }
 *
 * <p>{@code io.convoke.client.calls} has a class for each operation, {@code
 * io.convoke.client.types} what they answer.
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

  /**
   * Which credential is shown, and how long is waited. Credentials are stripped; one that is empty
   * or has a character that is not printable ASCII is an {@link IllegalArgumentException}.
   */
  public static final class Builder {
    private static final Pattern PRINTABLE = Pattern.compile("[ -~]+");

    private final URI server;
    private final Map<String, String> headers = new LinkedHashMap<>();
    private Duration answerTimeout = Duration.ofSeconds(30);
    private RetrySettings retries = RetrySettings.DEFAULT;

    private Builder(URI server) {
      this.server = server;
    }

    /** Shows a user's API key. */
    public Builder apiKey(String key) {
      headers.put("X-API-Key", credential("API key", key));
      return this;
    }

    /** Shows the admin key. */
    public Builder adminKey(String key) {
      headers.put("X-Admin-API-Key", credential("admin key", key));
      return this;
    }

    /** Shows a JWT. */
    public Builder bearer(String token) {
      headers.put("Authorization", "Bearer " + credential("token", token));
      return this;
    }

    /** The message leaves out what is refused: logs would show it. */
    private static String credential(String name, String given) {
      String stripped = given.strip();
      if (!PRINTABLE.matcher(stripped).matches()) {
        throw new IllegalArgumentException(
            "the %s is empty, or has a character that is not printable ASCII".formatted(name));
      }
      return stripped;
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

  /** Carries out an operation. One that creates something gets a new {@code Idempotency-Key}. */
  public <A> A call(ApiCall<A> call) {
    return call.send(transport, call.parts());
  }

  /**
   * Carries out an operation at most once for a key, however often it is called with it; so a
   * program that restarts may go on with a key that it has stored.
   *
   * @param idempotencyKey printable ASCII, without spaces around it
   * @throws IllegalArgumentException for another key, and for an operation that takes none, as it
   *     creates nothing
   */
  public <A> A call(ApiCall<A> call, String idempotencyKey) {
    return call.send(transport, call.parts().key(idempotencyKey));
  }

  /** A list, of which pages are asked for as it is read. */
  public <T> PagedList<T> list(ListCall<T> call) {
    return new PagedList<>(transport, call.parts(), ITEMS, call.type());
  }

  /** The status of a bot. */
  public BotStatusReport botStatus(long meetingId) {
    Map<String, String> query = Map.of("meeting_id", String.valueOf(meetingId));
    return ApiJson.as(get("/bots/status", query), BotStatusReport.class);
  }

  /** Whether a meeting has reached the CRM. */
  public SyncView syncStatus(long meetingId) {
    Map<String, String> query = Map.of("meeting_id", String.valueOf(meetingId));
    return ApiJson.as(get("/sync-status", query), SyncView.class);
  }

  /** The segments of a transcript, in the order of sessions and starts. */
  public PagedList<Segment> transcript(long meetingId) {
    CallParts request = read("/transcripts/" + meetingId, Map.of("limit", "1000"));
    return new PagedList<>(transport, request, "segments", Segment.class);
  }

  /**
   * A transcript as a document, which the server answers in pages of 20,000 segments. Within a page
   * it is in the order of time, over all sessions.
   */
  public String transcript(long meetingId, TranscriptFormat format) {
    CallParts first = read("/transcripts/" + meetingId, Map.of("format", format.parameter()));
    List<String> pages = new ArrayList<>();
    Optional<CallParts> next = Optional.of(first);
    while (next.isPresent()) {
      ApiReply page = transport.send(next.get());
      pages.add(page.text());
      next = page.nextCursor().map(it -> first.query("cursor", it));
    }
    return format.joined(pages);
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
    return new PagedList<>(transport, read(path, query), ITEMS, JsonNode.class);
  }

  /** The JSON of any GET. */
  public JsonNode get(String path, Map<String, String> query) {
    return transport.send(read(path, query)).json();
  }

  private static CallParts read(String path, Map<String, String> query) {
    return CallParts.repeatable("GET", path).queries(query);
  }

  /**
   * Sends any change.
   *
   * @param repeatable whether sending it twice does no more than sending it once
   * @return the answer's JSON; an empty object if it has none
   */
  public JsonNode send(String method, String path, Optional<JsonNode> body, boolean repeatable) {
    CallParts bare = repeatable ? CallParts.repeatable(method, path) : CallParts.once(method, path);
    ApiReply reply = transport.send(body.map(bare::body).orElse(bare));
    return reply.content().length == 0 ? ApiJson.MAPPER.createObjectNode() : reply.json();
  }

  /**
   * Creates something at most once for a key, as JSON.
   *
   * @param path with its query, if any
   */
  public JsonNode create(String path, JsonNode body, String idempotencyKey) {
    return transport.send(CallParts.withKey("POST", path).key(idempotencyKey).body(body)).json();
  }

  /** Ends streams and calls that wait. */
  @Override
  public void close() {
    transport.close();
  }
}
