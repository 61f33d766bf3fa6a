package io.convoke.chaos.recordings;

import io.convoke.chaos.kernel.FaultTimeline;
import io.convoke.chaos.kernel.TenantRule.TenantRead;
import io.convoke.chaos.kernel.TimedReply;
import io.convoke.chaos.recordings.rules.ExpectedRecording;
import io.convoke.chaos.recordings.rules.RecordingHistory.RecordingEndState;
import io.convoke.fakes.client.ApiClient;
import io.convoke.fakes.client.ApiReply;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;

/**
 * Users, who correct, retry and delete recordings, and an admin, who matches unmatched ones to
 * meetings of both users at the same moment. They spread requests over the servers. A user without
 * meetings reads what waits, in each status once.
 */
final class RecordingUsers {
  /** Maximum retries of a failed recording; a request without a response is repeated once. */
  private static final int TRIES_MAX = 8;

  private static final int NO_CONTENT = 204;

  private static final int CONFLICT = 409;
  private static final Duration AGAIN = Duration.ofMillis(100);

  /** Longer than any fault. */
  private static final Duration CALM = Duration.ofMinutes(2);

  private static final List<String> EMAILS =
      List.of("ann@example.org", "bob@example.org", "cyd@example.org");

  /** A user without meetings and rooms. */
  private static final String STRANGER = "eve@example.org";

  private final List<URI> servers;
  private final Executor threads;
  private final ApiClient admin;
  private final List<ApiClient.CreatedUser> users = new ArrayList<>();
  private final ApiClient.CreatedUser stranger;
  private final Map<String, TenantRead> strangerReads = new ConcurrentHashMap<>();
  private final List<TimedReply> replies = new CopyOnWriteArrayList<>();
  private final Map<String, Long> askedToDelete = new ConcurrentHashMap<>();
  private final Map<String, Long> deleted = new ConcurrentHashMap<>();
  private final Set<String> unfinished = ConcurrentHashMap.newKeySet();
  private final Map<Long, Integer> owners = new HashMap<>();
  private final Map<String, Integer> tries = new HashMap<>();
  private final AtomicInteger turn = new AtomicInteger();

  RecordingUsers(ApiClient admin, List<URI> servers, Executor threads) {
    this.admin = admin;
    this.servers = servers;
    this.threads = threads;
    EMAILS.forEach(email -> users.add(admin.newUser(email, 1)));
    stranger = admin.newUser(STRANGER, 1);
  }

  /** Creates a meeting for a room; returns its id. */
  long track(int user, String room) {
    long meeting = users.get(user).api().track(room);
    owners.put(meeting, user);
    return meeting;
  }

  /** Has a user's bot come to a meeting; returns its id. */
  long send(int user, UploadingBot bot) {
    long meeting = bot.join(users.get(user).api());
    owners.put(meeting, user);
    return meeting;
  }

  /** Resolves what needs an action; skips what must fail for good. */
  void act(List<RecordingRows.WaitingRecordings> waiting, List<ExpectedRecording> expected) {
    Map<String, ExpectedRecording> byId = new HashMap<>();
    // What was there, is asked to be deleted and waits no more is deleted, answered or not.
    Set<String> there = new HashSet<>();
    waiting.forEach(one -> there.add(one.id()));
    askedToDelete.entrySet().stream()
        .filter(one -> !there.contains(one.getKey()))
        .forEach(one -> deleted.put(one.getKey(), one.getValue()));
    expected.forEach(expectedRecording -> byId.put(expectedRecording.id(), expectedRecording));
    Set<Long> again = new HashSet<>();
    for (RecordingRows.WaitingRecordings one : waiting) {
      ExpectedRecording expectedRecording = byId.get(one.id());
      if (expectedRecording == null) {
        continue;
      }
      readAsStranger(one);
      if (one.status().equals("in_progress")) {
        expectedRecording
            .wish()
            .filter(ExpectedRecording.DELETE_EARLY::equals)
            .ifPresent(wish -> fulfil(one, wish));
      } else if (one.status().equals("unmatched")) {
        // Servers match one that can be of one meeting only: an admin would hide that they did not.
        if (expectedRecording.meetings().size() > 1) {
          match(one, expectedRecording);
        }
      } else if (one.status().equals("done")) {
        expectedRecording
            .wish()
            .filter(_ -> corrected(one, expectedRecording))
            .ifPresent(wish -> fulfil(one, wish));
      } else if (expectedRecording.end() == ExpectedRecording.ExpectedEnd.DONE
          || expectedRecording.end() == ExpectedRecording.ExpectedEnd.UNWELCOME) {
        boolean hopeless =
            expectedRecording.end() == ExpectedRecording.ExpectedEnd.UNWELCOME
                && one.reason().startsWith("push");
        if (!hopeless
            && tries.getOrDefault(one.id(), 0) < TRIES_MAX
            && corrected(one, expectedRecording)
            && retry(one, again)) {
          int _ = tries.merge(one.id(), 1, Integer::sum);
        }
      }
    }
  }

  private void readAsStranger(RecordingRows.WaitingRecordings one) {
    String asWhat = one.id() + " " + one.status();
    if (strangerReads.containsKey(asWhat)) {
      return;
    }
    String path = "/recordings/" + one.id();
    ApiReply reply = stranger.api().at(servers.get(nextServer())).get(path);
    if (reply.status() != 0) {
      List<String> shown = reply.ok() ? List.of("recording:" + one.id()) : List.of();
      var _ =
          strangerReads.put(
              asWhat, new TenantRead(stranger.id(), path, reply.status(), false, shown));
    }
  }

  /** What the user without meetings was answered. */
  List<TenantRead> strangerReads() {
    return List.copyOf(strangerReads.values());
  }

  /** Corrects the first line, if its user does; false if it is to be tried again. */
  private boolean corrected(
      RecordingRows.WaitingRecordings one, ExpectedRecording expectedRecording) {
    if (!expectedRecording.corrects()) {
      return true;
    }
    long meeting = one.meeting().orElse(0L);
    ApiClient owner = owner(meeting).at(servers.get(nextServer()));
    String path = "/transcripts/" + meeting;
    JsonNode segments =
        owner.get(path + "?session_uid=recording:" + one.id()).body().path("segments");
    String text = expectedRecording.shown().getFirst();
    return !segments.isEmpty()
        && owner
            .patch(path + "/segments/" + segments.path(0).path("id").asLong(), Map.of("text", text))
            .ok();
  }

  /** Has a recording repeated from a step, or deleted. */
  private void fulfil(RecordingRows.WaitingRecordings one, String wish) {
    ApiClient owner = owner(one.meeting().orElse(0L));
    String path = "/recordings/" + one.id();
    if (!ExpectedRecording.deletes(wish)) {
      boolean _ = post(owner, path + "/retry", Map.of("step", ExpectedRecording.step(wish)));
    } else {
      askedToDelete.put(one.id(), one.meeting().orElse(0L));
      if (owner.delete(path).status() == NO_CONTENT && one.status().equals("in_progress")) {
        boolean _ = unfinished.add(one.id());
      }
    }
  }

  /** Those of {@link #deleted} that were still recorded. */
  Set<String> unfinished() {
    return Set.copyOf(unfinished);
  }

  /** The recordings that were deleted, with their meetings. */
  Map<String, Long> deleted() {
    return Map.copyOf(deleted);
  }

  /** The address of a meeting's user. */
  String email(long meeting) {
    return EMAILS.get(Objects.requireNonNull(owners.get(meeting)));
  }

  /** Number of connections that a meeting shows. */
  int present(long meeting) {
    String path = "/meetings/" + meeting + "/participants?active=true";
    return owner(meeting).get(path).body().path("num_clients").asInt(-1);
  }

  /** What a read of a recording answers to the owner of its meeting. */
  int read(String id, long meeting) {
    return owner(meeting).get("/recordings/" + id).status();
  }

  /**
   * Gives a room other meetings than the one to come: a tracked one, which ends as the room is
   * released, and that of a bot, which lasts. No program runs.
   */
  void use(int user, String room, URI address) {
    ApiClient api = users.get(user).api();
    long _ = api.track(room);
    int released = admin.delete("/rooms/daily/" + room).status();
    ApiReply sent =
        api.post(
            "/bots/start",
            Map.of(
                "platform", "daily", "native_meeting_id", room, "meeting_url", address.toString()));
    if (released != NO_CONTENT || !sent.ok()) {
      throw new IllegalStateException(room + " was answered " + released + " and " + sent);
    }
  }

  /** Moves a room to another user, who tracks it from then on. */
  void move(String room, int to) {
    untilDone(
        server ->
            admin.at(server).put("/rooms/daily/" + room, Map.of("user_id", users.get(to).id())));
    untilDone(
        server ->
            users
                .get(to)
                .api()
                .at(server)
                .post("/meetings", Map.of("platform", "daily", "native_meeting_id", room)));
  }

  /** Asks one server after the other until it is done, now or by a request without an answer. */
  private void untilDone(Function<URI, ApiReply> request) {
    Instant deadline = Instant.now().plus(CALM);
    ApiReply reply = request.apply(servers.get(nextServer()));
    while (!reply.ok() && reply.status() != CONFLICT) {
      if (Instant.now().isAfter(deadline)) {
        throw new IllegalStateException("after " + CALM + " still answered " + reply);
      }
      LockSupport.parkNanos(AGAIN.toNanos());
      reply = request.apply(servers.get(nextServer()));
    }
  }

  List<ApiClient.CreatedUser> users() {
    return users;
  }

  List<TimedReply> replies() {
    return List.copyOf(replies);
  }

  /** Deletes a recording as the owner of its meeting; returns that answer and the next read's. */
  List<Integer> delete(RecordingEndState row) {
    ApiClient owner = owner(row.meeting().orElse(0L));
    String path = "/recordings/" + row.id();
    return List.of(owner.delete(path).status(), owner.get(path).status());
  }

  private void match(RecordingRows.WaitingRecordings one, ExpectedRecording expectedRecording) {
    String path = "/recordings/" + one.id() + "/match";
    List<CompletableFuture<?>> all = new ArrayList<>();
    for (long meeting : expectedRecording.meetings()) {
      all.add(
          CompletableFuture.runAsync(
              () -> post(admin, path, Map.of("meeting_id", meeting)), threads));
    }
    CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).join();
  }

  /**
   * Retries either the whole sync of its meeting or the recording alone, from the step required;
   * false without a response.
   */
  private boolean retry(RecordingRows.WaitingRecordings one, Set<Long> again) {
    long meeting = one.meeting().orElse(0L);
    boolean sync = one.reason().startsWith("push") && tries.getOrDefault(one.id(), 0) % 2 == 0;
    if (sync) {
      return !again.add(meeting)
          || post(owner(meeting), "/sync-status/" + meeting + "/retry", Map.of());
    }
    Map<String, ?> from =
        one.reason().contains("download it again") ? Map.of("step", "download") : Map.of();
    return post(owner(meeting), "/recordings/" + one.id() + "/retry", from);
  }

  private ApiClient owner(long meeting) {
    Integer user = owners.get(meeting);
    return user == null ? admin : users.get(user).api();
  }

  private int nextServer() {
    return Math.floorMod(turn.getAndIncrement(), servers.size());
  }

  /** Whether there was a response. */
  private boolean post(ApiClient caller, String path, Map<String, ?> body) {
    int server = nextServer();
    Instant sent = Instant.now();
    int status = caller.at(servers.get(server)).post(path, body).status();
    replies.add(new TimedReply(path, FaultTimeline.server(server), status, sent, Instant.now()));
    return status != 0;
  }
}
