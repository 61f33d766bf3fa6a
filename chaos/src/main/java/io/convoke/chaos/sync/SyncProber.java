package io.convoke.chaos.sync;

import io.convoke.chaos.ServerCluster;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import io.convoke.fakes.client.ApiClient;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Callers who may not see or change these meetings: one with a wrong token, and a user. */
final class SyncProber {
  private static final Duration PAUSE = Duration.ofMillis(700);
  private static final int SHOWN_MAX = 5;

  /** Refusals, too many of them, and those of a server that cannot ask a store who it is. */
  private static final Set<Integer> STRANGER = Set.of(0, 401, 403, 429, 503);

  private static final Set<Integer> USER = Set.of(0, 403, 404, 503);

  private final List<URI> urls;
  private final List<String> meetings;
  private final ApiClient user;
  private final SplittableRandom random;
  private final List<RuleViolation> findings = new ArrayList<>();

  SyncProber(ServerCluster servers, List<String> meetings, long seed) {
    this.urls = servers.urls();
    this.meetings = meetings;
    this.random = new SplittableRandom(seed);
    this.user = servers.admin().newUser("stranger@example.com");
  }

  List<RuleViolation> findings() {
    return findings;
  }

  /** Asks until the faults are over. */
  void run(BooleanSupplier goesOn) {
    while (goesOn.getAsBoolean()) {
      URI url = urls.get(random.nextInt(urls.size()));
      String meeting = meetings.get(random.nextInt(meetings.size()));
      try (RawHttpConnection stranger = new RawHttpConnection(url, "wrong-token")) {
        int read = stranger.read(meeting, 0).map(answer -> answer.status()).orElse(0);
        judge("a read with a wrong token", read, STRANGER);
        String body = "{\"meeting_id\":\"%s\",\"status\":\"success\"}".formatted(meeting);
        int written = stranger.write(body).map(answer -> answer.status()).orElse(0);
        judge("an update with a wrong token", written, STRANGER);
      }
      int seen = user.at(url).get("/sync-status?meeting_id=" + meeting).status();
      judge("a user's read of a meeting that is not theirs", seen, USER);
      LockSupport.parkNanos(PAUSE.toNanos());
    }
  }

  private void judge(String what, int status, Set<Integer> allowed) {
    if (!allowed.contains(status) && findings.size() < SHOWN_MAX) {
      findings.add(
          new RuleViolation(
              ViolationKind.ILLEGAL, what + " was answered " + status, "SyncPermissionRule"));
    }
  }
}
