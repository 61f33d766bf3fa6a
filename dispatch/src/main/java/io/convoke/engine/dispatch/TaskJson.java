package io.convoke.engine.dispatch;

import io.convoke.engine.json.Json;
import java.time.Instant;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The JSON of a task (dispatch-1); all keys are always present. */
public final class TaskJson {
  private static final String SECRET = "access_token";
  private static final String HIDDEN = "***";

  private TaskJson() {}

  /** For all readers but the pod: access tokens show as {@code ***}. */
  public static ObjectNode redacted(Task task) {
    ObjectNode json = full(task);
    json.set("payload", redacted(task.payload()));
    return json;
  }

  /** For the pod that runs it. */
  public static ObjectNode full(Task task) {
    JsonNode spec = task.spec();
    ObjectNode json = Json.mapper().createObjectNode();
    for (String name : new String[] {"id", "type", "action", "channel", "request_id"}) {
      json.put(name, spec.path(name).asString());
    }
    json.set("payload", spec.path("payload"));
    json.put("state", task.state().name());
    json.put("created_at", Json.time(task.createdAt()));
    json.put("pending_at", Json.time(task.pendingAt()));
    json.put("processed_at", time(task.processedAt()));
    json.put("completed_at", time(task.completedAt()));
    json.put("error", task.error());
    json.put("worker_id", task.workerId().orElse(null));
    json.put("lease_expiry", time(task.leaseExpiry()));
    json.put("retry_count", task.retryCount());
    json.put("region", spec.path("region").asString(null));
    json.put("pod_id", task.podId().orElse(null));
    json.put("attempt", task.attempt());
    return json;
  }

  private static JsonNode redacted(JsonNode payload) {
    if (!(payload.deepCopy() instanceof ObjectNode copy)) {
      return payload;
    }
    hide(copy);
    return copy;
  }

  private static void hide(JsonNode node) {
    if (node instanceof ObjectNode object && object.has(SECRET)) {
      object.put(SECRET, HIDDEN);
    }
    node.forEach(TaskJson::hide);
  }

  private static @org.jspecify.annotations.Nullable String time(Optional<Instant> instant) {
    return instant.map(Json::time).orElse(null);
  }
}
