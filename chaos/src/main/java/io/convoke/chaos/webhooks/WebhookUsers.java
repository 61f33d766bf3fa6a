package io.convoke.chaos.webhooks;

import io.convoke.chaos.kernel.ReadBackRule.ReadBack;
import io.convoke.chaos.webhooks.EndpointRules.AskedMessage;
import io.convoke.chaos.webhooks.EndpointRules.Logged;
import io.convoke.chaos.webhooks.EndpointRules.Shown;
import io.convoke.chaos.webhooks.WebhookHistory.HookedEndpoint;
import io.convoke.chaos.webhooks.WebhookHistory.PausedEndpoint;
import io.convoke.fakes.client.ApiClient;
import io.convoke.fakes.client.ApiReply;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;
import tools.jackson.databind.JsonNode;

/** Two users and an admin, their endpoints, and what they ask the API about these. */
final class WebhookUsers {
  /** Its endpoint gets all events of the first user, and does not answer for a while. */
  static final int FIRST = 0;

  /** That of the second user, which answers 410 once while faults are injected. */
  static final int PAUSED = 1;

  /** Another of the second user, for several types; it answers 410 when the faults are over. */
  static final int NAMED = 2;

  /** The admin's, for everyone's events of two types. */
  static final int ADMINS = 3;

  /** Another of the first user, which is removed when the faults are over. */
  static final int REMOVED = 4;

  /** A third of the first user, which keeps one message waiting. */
  static final int HELD = 5;

  /** A fourth, which is added when the faults are over. */
  static final int ADDED = 6;

  /** Small, so that lists have several pages. */
  private static final int PAGE = 20;

  private static final String SYNC = "sync.status_changed";
  private static final String PATH = "/webhook-endpoints";
  private static final Duration LOOK_EVERY = Duration.ofMillis(100);
  private static final Duration SHOWN_MAX = Duration.ofSeconds(10);

  private final WebhookReceiver receiver;
  private final ApiClient admin;
  private final List<ApiClient> users = new ArrayList<>();
  private final List<Long> ids = new ArrayList<>();
  private final List<HookedEndpoint> endpoints = new ArrayList<>();
  private final List<PausedEndpoint> pauses = new ArrayList<>();
  private final List<AskedMessage> asked = new ArrayList<>();
  private final List<ReadBack> answers = new ArrayList<>();
  private final Map<Integer, List<Logged>> logs = new HashMap<>();

  WebhookUsers(ApiClient admin, WebhookReceiver receiver) {
    this.admin = admin;
    this.receiver = receiver;
    for (int i = 0; i < 2; i++) {
      ApiClient.CreatedUser user = admin.newUser("hooked-" + i + "@example.com", 1);
      users.add(user.api());
      ids.add(user.id());
    }
    add(FIRST, 0, List.of());
    add(PAUSED, 1, List.of());
    List<String> named = new ArrayList<>(List.of(SYNC));
    List.of("created", "paused", "resumed", "removed")
        .forEach(what -> named.add("webhook_endpoint." + what));
    add(NAMED, 1, named);
    add(ADMINS, 2, List.of("meeting.status_changed", "webhook_endpoint.removed"));
    add(REMOVED, 0, List.of());
    add(HELD, 0, List.of(SYNC));
  }

  ApiClient user(int number) {
    return users.get(number);
  }

  long id(int number) {
    return ids.get(number);
  }

  List<HookedEndpoint> endpoints() {
    return List.copyOf(endpoints);
  }

  List<PausedEndpoint> pauses() {
    return List.copyOf(pauses);
  }

  Shown shown() {
    return new Shown(List.copyOf(asked), List.copyOf(answers), Map.copyOf(logs));
  }

  private void add(int number, int owner, List<String> types) {
    Instant sent = Instant.now();
    Map<String, Object> body = new HashMap<>(Map.of("url", receiver.url(number).toString()));
    if (!types.isEmpty()) {
      body.put("types", types);
    }
    boolean users = owner < this.users.size();
    ApiReply made = (users ? user(owner) : admin).post(PATH, body);
    receiver.secret(number, made.body().path("secret").asString());
    endpoints.add(
        new HookedEndpoint(
            number,
            made.body().path("id").asLong(),
            users ? id(owner) : 0,
            types,
            sent,
            Instant.MAX));
  }

  private ApiClient owner(int endpoint) {
    int user = ids.indexOf(endpoints.get(endpoint).user());
    return user < 0 ? admin : user(user);
  }

  private String path(int endpoint) {
    return PATH + "/" + endpoints.get(endpoint).id();
  }

  /** Resumes an endpoint; one that was not paused, since no server stored that, stays as it is. */
  void resume(int endpoint, Instant gone) {
    Instant sent = Instant.now();
    ApiReply reply = owner(endpoint).post(path(endpoint) + "/resume", Map.of());
    while (!reply.ok() && reply.status() != 409) {
      LockSupport.parkNanos(LOOK_EVERY.toNanos());
      reply = owner(endpoint).post(path(endpoint) + "/resume", Map.of());
    }
    pauses.add(new PausedEndpoint(endpoint, gone, sent));
  }

  /** Removes an endpoint, adds one, and asks for a test and for a message to be sent again. */
  void change() {
    expect("removing", 204, owner(REMOVED).delete(path(REMOVED)).status());
    endpoints.set(REMOVED, endpoints.get(REMOVED).removedAt(Instant.now()));
    expect("a removed endpoint", 404, owner(REMOVED).get(path(REMOVED)).status());
    add(ADDED, 0, List.of());
    JsonNode one = owner(FIRST).get(path(FIRST) + "/deliveries?state=delivered").body();
    JsonNode entry = one.path("items").path(0);
    Instant before = Instant.now();
    expect("a test", 202, owner(FIRST).post(path(FIRST) + "/test", Map.of()).status());
    asked.add(new AskedMessage(FIRST, "", before));
    String resend = path(FIRST) + "/deliveries/%s/resend";
    expect("another's message", 404, resend(user(1), resend, entry.path("id").asString("")));
    expect("no message", 404, resend(user(0), resend, "1" + "0".repeat(9)));
    expect("resending", 202, resend(user(0), resend, entry.path("id").asString("")));
    asked.add(new AskedMessage(FIRST, entry.path("message_id").asString(""), before));
  }

  private static int resend(ApiClient caller, String path, String id) {
    return caller.post(path.formatted(id), Map.of()).status();
  }

  /** Waits until an endpoint is shown as paused, and asks it for what a paused one refuses. */
  void awaitPause(int endpoint) {
    Instant end = Instant.now().plus(SHOWN_MAX);
    while (Instant.now().isBefore(end) && state(endpoint).equals("active null")) {
      LockSupport.parkNanos(LOOK_EVERY.toNanos());
    }
    expect("its state", "paused \"the endpoint returned 410\"", state(endpoint));
    expect("its test", 409, owner(endpoint).post(path(endpoint) + "/test", Map.of()).status());
  }

  private String state(int endpoint) {
    JsonNode shown = owner(endpoint).get(path(endpoint)).body();
    return shown.path("state").asString("") + " " + shown.path("reason");
  }

  /** Compares what each user is shown with what belongs to them, and reads the logs. */
  void look() {
    expect("resuming an active one", 409, user(0).post(path(FIRST) + "/resume", Map.of()).status());
    List.of("/resume", "/test")
        .forEach(
            what -> expect("another's", 404, user(1).post(path(FIRST) + what, Map.of()).status()));
    expect("another's", 404, user(1).get(path(FIRST)).status());
    expect("another's log", 404, user(1).get(path(FIRST) + "/deliveries").status());
    expect("removing another's", 404, user(1).delete(path(FIRST)).status());
    String subject = "?subject=" + events(0, "").path(0).path("subject").asString("");
    expect("own events", false, events(0, subject).isEmpty());
    expect("another's events", "[]", events(1, subject));
    for (int i = 0; i <= users.size(); i++) {
      ApiClient reader = i < users.size() ? user(i) : admin;
      long id = i < users.size() ? id(i) : 0;
      String own =
          endpoints.stream()
              .filter(it -> (id == 0 || it.user() == id) && it.removed().equals(Instant.MAX))
              .map(it -> it.id() + " " + receiver.url(it.number()) + " " + it.types() + " active")
              .toList()
              .toString();
      List<JsonNode> items = reader.items(PATH, PAGE);
      String shown =
          items.stream()
              .map(
                  it ->
                      it.path("id").asLong()
                          + " "
                          + it.path("url").asString("")
                          + " "
                          + it.path("types").valueStream().map(JsonNode::asString).toList()
                          + " "
                          + it.path("state").asString(""))
              .toList()
              .toString();
      expect("the list of " + id, own, shown);
      expect("the members of a list", false, items.stream().anyMatch(item -> item.has("secret")));
    }
    endpoints.stream().filter(it -> it.removed().equals(Instant.MAX)).forEach(this::log);
  }

  private JsonNode events(int user, String query) {
    return user(user).get("/events" + query).body().path("items");
  }

  /** Reads a log, once nothing waits. */
  private void log(HookedEndpoint endpoint) {
    ApiClient owner = owner(endpoint.number());
    String path = path(endpoint.number()) + "/deliveries";
    Instant end = Instant.now().plus(SHOWN_MAX);
    while (Instant.now().isBefore(end) && !owner.items(path + "?state=pending", PAGE).isEmpty()) {
      LockSupport.parkNanos(LOOK_EVERY.toNanos());
    }
    List<Logged> log =
        owner.items(path, PAGE).stream()
            .map(
                it ->
                    new Logged(
                        it.path("id").asLong(),
                        it.path("message_id").asString(""),
                        it.path("type").asString("") + " " + it.path("subject").asString(""),
                        state(it),
                        it.path("attempts").asInt(),
                        it.path("last_status").asInt(0)))
            .toList();
    var _ = logs.put(endpoint.number(), log);
    Set<String> states = new TreeSet<>(log.stream().map(Logged::state).toList());
    expect("the states in a log", "[delivered]", states.toString());
    expect("delivered ones", log.size(), owner.items(path + "?state=delivered", PAGE).size());
  }

  /** What an entry of a log tells of the state of a message. */
  private static String state(JsonNode entry) {
    boolean over =
        entry.path("next_try_at").isNull()
            && entry.path("last_error").isNull()
            && entry.path("delivered_at").isString();
    return entry.path("state").asString("") + (over ? "" : " not quite");
  }

  private void expect(String call, Object expected, Object answer) {
    answers.add(new ReadBack(call, List.of(expected.toString()), List.of(answer.toString())));
  }
}
