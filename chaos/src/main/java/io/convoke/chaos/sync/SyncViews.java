package io.convoke.chaos.sync;

import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import io.convoke.chaos.sync.rules.ShownSyncs;
import io.convoke.fakes.client.ApiClient;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/** Reads in every way what the API shows of all syncs, when nothing changes any more. */
final class SyncViews {
  /** The most that one request may name. */
  private static final int BATCH = 100;

  /** Small, so that the list of problems has several pages. */
  private static final int PAGE = 10;

  private static final String PATH = "/sync-status";
  private static final String UNKNOWN = "unknown:sync";

  private SyncViews() {}

  /** Reads as the admin and as a program of the installation; dismisses the newest problem. */
  static List<RuleViolation> look(
      ApiClient admin, ApiClient internal, Collection<String> meetings) {
    List<RuleViolation> found = new ArrayList<>();
    JsonNode newest = admin.get(PATH + "/problems?limit=1").body().path("items").path(0);
    String id = newest.path("meeting_id").asString("");
    long version = newest.path("version").asLong();
    for (long dismissed : List.of(version - 1, version)) {
      int status = admin.post(PATH + "/" + id + "/dismiss", Map.of("version", dismissed)).status();
      if (status != (dismissed == version ? 200 : 409)) {
        found.add(
            ViolationKind.ILLEGAL.found(
                "dismissing version %d of %s was answered %d", dismissed, newest, status));
      }
    }
    String path = "/events?type=sync.dismissed&subject=meeting:" + id;
    JsonNode events = admin.get(path).body().path("items");
    if (events.size() != 1 || events.path(0).path("data").path("version").asLong() != version) {
      found.add(
          ViolationKind.GAP.found("the dismissal of %s is in the journal as %s", newest, events));
    }
    List<JsonNode> problems = admin.items(PATH + "/problems", PAGE);
    List<String> ids = new ArrayList<>(meetings);
    for (int from = 0; from < ids.size(); from += BATCH - 1) {
      List<String> some = ids.subList(from, Math.min(ids.size(), from + BATCH - 1));
      JsonNode several =
          internal
              .get(
                  PATH
                      + "?meeting_id="
                      + UNKNOWN
                      + "&meeting_id="
                      + String.join("&meeting_id=", some))
              .body();
      found.addAll(
          new ShownSyncs(
                  some.stream().map(it -> admin.get(PATH + "?meeting_id=" + it).body()).toList(),
                  several.path("items").valueStream().toList(),
                  several.path("missing").valueStream().map(JsonNode::asString).toList(),
                  List.of(UNKNOWN),
                  problems.stream()
                      .filter(it -> some.contains(it.path("meeting_id").asString("")))
                      .toList(),
                  id)
              .check());
    }
    return found.stream().map(it -> it.by(ShownSyncs.class.getSimpleName())).toList();
  }
}
