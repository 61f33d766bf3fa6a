package io.convoke.lab.chaos.recordings;

import io.convoke.lab.chaos.recordings.verdict.Answer;
import io.convoke.lab.chaos.recordings.verdict.Truth;
import io.convoke.lab.client.Api;
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
 * Two users and an admin, who say whose a recording is and have what failed tried again. Both users
 * claim what may be theirs at the same moment. They ask now this server and now that.
 */
final class People {
  /** So often somebody tries again what failed; a server that did not answer is asked once more. */
  private static final int TRIES_MAX = 8;

  private final List<URI> servers;
  private final Executor threads;
  private final Api admin;
  private final List<Api> users = new ArrayList<>();
  private final Map<Long, Integer> owners = new HashMap<>();
  private final Map<String, Integer> tries = new HashMap<>();
  private final List<Answer> answers = new ArrayList<>();
  private int turn;

  People(Api admin, List<URI> servers, Executor threads) {
    this.admin = admin;
    this.servers = servers;
    this.threads = threads;
    for (String name : List.of("ann", "bob")) {
      users.add(admin.newUser(name + "@example.org"));
    }
  }

  /** One of them has a room's meeting; answers its id. */
  long track(int user, String room) {
    long meeting = users.get(user).track(room);
    owners.put(meeting, user);
    return meeting;
  }

  /** Does what is to be done; what must fail for good is left alone. */
  void look(List<Rows.Waiting> waiting, List<Truth> truths) {
    Map<String, Truth> byId = new HashMap<>();
    truths.forEach(truth -> byId.put(truth.id(), truth));
    Set<Long> again = new HashSet<>();
    for (Rows.Waiting one : waiting) {
      Truth truth = byId.get(one.id());
      if (truth == null) {
        continue;
      }
      if (one.status().equals("unmatched")) {
        match(one, truth);
      } else if (truth.end() == Truth.End.DONE || truth.end() == Truth.End.UNWELCOME) {
        boolean hopeless = truth.end() == Truth.End.UNWELCOME && one.reason().startsWith("push");
        if (!hopeless && tries.getOrDefault(one.id(), 0) < TRIES_MAX && retry(one, again)) {
          int _ = tries.merge(one.id(), 1, Integer::sum);
        }
      }
    }
  }

  List<Answer> answers() {
    synchronized (answers) {
      return List.copyOf(answers);
    }
  }

  private void match(Rows.Waiting one, Truth truth) {
    String path = "/recordings/" + one.id() + "/match";
    List<CompletableFuture<?>> all = new ArrayList<>();
    for (long meeting : truth.meetings()) {
      Api caller = truth.meetings().size() > 1 ? owner(meeting) : at(admin);
      all.add(
          CompletableFuture.runAsync(
              () -> post(caller, path, Map.of("meeting_id", meeting)), threads));
    }
    CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).join();
  }

  /**
   * Now the whole sync of its meeting, now the recording alone, from where it must begin; false if
   * nobody answered.
   */
  private boolean retry(Rows.Waiting one, Set<Long> again) {
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

  private Api owner(long meeting) {
    Integer user = owners.get(meeting);
    return at(user == null ? admin : users.get(user));
  }

  private Api at(Api caller) {
    return caller.at(servers.get(turn++ % servers.size()));
  }

  /** Whether there was an answer. */
  private boolean post(Api caller, String path, Map<String, ?> body) {
    int status = caller.post(path, body).status();
    synchronized (answers) {
      answers.add(new Answer(path, status));
    }
    return status != 0;
  }
}
