package io.convoke.chaos.recordings;

import io.convoke.chaos.recordings.rules.ExpectedRecording;
import io.convoke.chaos.recordings.rules.ObservedReply;
import io.convoke.fakes.client.ApiClient;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * Two users and an admin, who assign recordings to meetings and retry failed ones. Both users claim
 * the same recordings at the same moment. They spread requests over the servers.
 */
final class RecordingUsers {
  /** Maximum retries of a failed recording; a request without a response is repeated once. */
  private static final int TRIES_MAX = 8;

  private final List<URI> servers;
  private final Executor threads;
  private final ApiClient admin;
  private final List<ApiClient> users = new ArrayList<>();
  private final Map<Long, Integer> owners = new HashMap<>();
  private final Map<String, Integer> tries = new HashMap<>();
  private final List<ObservedReply> answers = new ArrayList<>();
  private int turn;

  RecordingUsers(ApiClient admin, List<URI> servers, Executor threads) {
    this.admin = admin;
    this.servers = servers;
    this.threads = threads;
    for (String name : List.of("ann", "bob")) {
      users.add(admin.newUser(name + "@example.org"));
    }
  }

  /** Creates a meeting for a room; returns its id. */
  long track(int user, String room) {
    long meeting = users.get(user).track(room);
    owners.put(meeting, user);
    return meeting;
  }

  /** Resolves what needs an action; skips what must fail for good. */
  void act(
      List<RecordingRows.WaitingRecordings> waiting, List<ExpectedRecording> expectedRecordings) {
    Map<String, ExpectedRecording> byId = new HashMap<>();
    expectedRecordings.forEach(
        expectedRecording -> byId.put(expectedRecording.id(), expectedRecording));
    Set<Long> again = new HashSet<>();
    for (RecordingRows.WaitingRecordings one : waiting) {
      ExpectedRecording expectedRecording = byId.get(one.id());
      if (expectedRecording == null) {
        continue;
      }
      if (one.status().equals("unmatched")) {
        match(one, expectedRecording);
      } else if (expectedRecording.end() == ExpectedRecording.ExpectedEnd.DONE
          || expectedRecording.end() == ExpectedRecording.ExpectedEnd.UNWELCOME) {
        boolean hopeless =
            expectedRecording.end() == ExpectedRecording.ExpectedEnd.UNWELCOME
                && one.reason().startsWith("push");
        if (!hopeless && tries.getOrDefault(one.id(), 0) < TRIES_MAX && retry(one, again)) {
          int _ = tries.merge(one.id(), 1, Integer::sum);
        }
      }
    }
  }

  List<ObservedReply> answers() {
    synchronized (answers) {
      return List.copyOf(answers);
    }
  }

  private void match(RecordingRows.WaitingRecordings one, ExpectedRecording expectedRecording) {
    String path = "/recordings/" + one.id() + "/match";
    List<CompletableFuture<?>> all = new ArrayList<>();
    for (long meeting : expectedRecording.meetings()) {
      ApiClient caller = expectedRecording.meetings().size() > 1 ? owner(meeting) : at(admin);
      all.add(
          CompletableFuture.runAsync(
              () -> post(caller, path, Map.of("meeting_id", meeting)), threads));
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
    return at(user == null ? admin : users.get(user));
  }

  private ApiClient at(ApiClient caller) {
    return caller.at(servers.get(turn++ % servers.size()));
  }

  /** Whether there was a response. */
  private boolean post(ApiClient caller, String path, Map<String, ?> body) {
    int status = caller.post(path, body).status();
    synchronized (answers) {
      answers.add(new ObservedReply(path, status));
    }
    return status != 0;
  }
}
