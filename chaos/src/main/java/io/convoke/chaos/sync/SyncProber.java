package io.convoke.chaos.sync;

import io.convoke.chaos.ServerCluster;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import io.convoke.fakes.client.ApiClient;
import io.convoke.fakes.client.ApiReply;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Callers who may not see or change these meetings: one with a wrong token, and a user. And a
 * system that reports on a meeting of its own, the end of an earlier attempt last.
 */
final class SyncProber {
  private static final Duration PAUSE = Duration.ofMillis(700);
  private static final int SHOWN_MAX = 5;

  /** The meeting whose attempts are reported. */
  private static final String OWN = "attempts";

  /** Refusals, too many of them, and those of a server that cannot ask a store who it is. */
  private static final Set<Integer> STRANGER = Set.of(0, 401, 403, 429, 503);

  private static final Set<Integer> USER = Set.of(0, 403, 404, 503);

  private final List<URI> urls;
  private final List<String> meetings;
  private final ApiClient user;
  private final ApiClient internal;

  /** A meeting of another user, with a sync. */
  private final String foreign;

  private long attempt;
  private final SplittableRandom random;
  private final List<RuleViolation> findings = new ArrayList<>();

  SyncProber(ServerCluster servers, String internalToken, List<String> meetings, long seed) {
    this.urls = servers.urls();
    this.meetings = meetings;
    this.random = new SplittableRandom(seed);
    this.user = servers.admin().newUser("stranger@example.com");
    this.internal = ApiClient.internal(urls.getFirst(), internalToken);
    this.foreign =
        Long.toString(servers.admin().newUser("owner@example.com").track("probed-" + seed));
    ApiReply reported = report(urls.getFirst(), foreign, 1, "success");
    if (!reported.ok()) {
      throw new IllegalStateException("a sync could not be reported: " + reported);
    }
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
        int read = stranger.read(meeting, "").map(answer -> answer.status()).orElse(0);
        judge("a read with a wrong token", read, STRANGER);
        String body = "{\"meeting_id\":\"%s\",\"status\":\"success\"}".formatted(meeting);
        int written = stranger.write(body).map(answer -> answer.status()).orElse(0);
        judge("an update with a wrong token", written, STRANGER);
      }
      int seen = user.at(url).get("/sync-status?meeting_id=" + meeting).status();
      judge("a user's read of a meeting that is not theirs", seen, USER);
      ApiReply several =
          user.at(url).get("/sync-status?meeting_id=%s&meeting_id=%s".formatted(foreign, meeting));
      if (!several.body().path("items").isEmpty()) {
        found("SyncPermissionRule", "a user reads another's sync: " + several.body());
      }
      ApiClient other = user.at(url);
      String retry = "/sync-status/" + foreign + "/retry";
      judge("a user's retry of another's", other.post(retry, Map.of()).status(), USER);
      judge("a user's update", report(other, foreign, 2, "failure").status(), USER);
      judge("a user's problems", other.get("/sync-status/problems").status(), USER);
      lateReport(url);
      LockSupport.parkNanos(PAUSE.toNanos());
    }
  }

  /** The end of an attempt that is reported once the next one has succeeded changes nothing. */
  private void lateReport(URI url) {
    attempt += 2;
    if (report(url, OWN, attempt, "success").ok()) {
      ApiReply late = report(url, OWN, attempt - 1, "failure");
      String status = late.body().path("status").asString("");
      if (late.ok() && !status.equals("success")) {
        found("SyncAttemptRule", "a late report of an earlier attempt counted: " + late.body());
      }
    }
  }

  private ApiReply report(URI url, String meeting, long number, String status) {
    return report(internal.at(url), meeting, number, status);
  }

  private static ApiReply report(ApiClient caller, String meeting, long number, String status) {
    return caller.post(
        "/sync-status",
        Map.of("meeting_id", meeting, "attempt", number, "status", status, "synced_by", "w0"));
  }

  private void judge(String what, int status, Set<Integer> allowed) {
    if (!allowed.contains(status)) {
      found("SyncPermissionRule", what + " was answered " + status);
    }
  }

  private void found(String rule, String text) {
    if (findings.size() < SHOWN_MAX) {
      findings.add(new RuleViolation(ViolationKind.ILLEGAL, text, rule));
    }
  }
}
