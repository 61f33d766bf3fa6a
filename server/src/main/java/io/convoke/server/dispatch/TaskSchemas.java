package io.convoke.server.dispatch;

import io.convoke.engine.dispatch.Task;
import io.convoke.engine.dispatch.TaskJson;
import io.convoke.engine.dispatch.TaskState;
import io.convoke.server.http.Schema;
import java.util.Arrays;
import tools.jackson.databind.node.ObjectNode;

/** The JSON schemas of tasks (dispatch-1; bounds in docs/spec/contract.md, "Tasks"). */
final class TaskSchemas {
  static final Schema ID = Schema.pattern("^[A-Za-z0-9_-]{1,64}$");
  static final Schema REQUEST = Schema.pattern("^[A-Za-z0-9_.-]{1,64}$");
  static final Schema CHANNEL = Schema.pattern("^[A-Za-z0-9_.:-]{1,64}$");
  static final Schema POD = Schema.pattern("^[A-Za-z0-9_.-]{1,64}$");
  static final Schema STATE =
      Schema.oneOf(Arrays.stream(TaskState.values()).map(TaskState::name).toArray(String[]::new));

  /** The task for all readers but the pod. */
  static final Schema TASK =
      Schema.object()
          .required("id", Schema.text())
          .required("type", Schema.text())
          .required("action", Schema.text())
          .required("channel", Schema.text())
          .required("request_id", Schema.text())
          .required("payload", Schema.anyObject().describe("An access_token shows as ***."))
          .required("state", STATE)
          .required("created_at", Schema.instant())
          .required(
              "pending_at", Schema.instant().describe("Begin of the present window of waiting."))
          .required("processed_at", Schema.instant().nullable())
          .required("completed_at", Schema.instant().nullable())
          .required("error", Schema.text())
          .required("worker_id", Schema.integer().describe("The slot in the pod.").nullable())
          .required("lease_expiry", Schema.instant().nullable())
          .required("retry_count", Schema.integer())
          .required("region", Schema.text().nullable())
          .required("pod_id", Schema.text().nullable())
          .required("attempt", Schema.integer())
          .named("Task");

  private TaskSchemas() {}

  static ObjectNode view(Task task) {
    return TaskJson.redacted(task);
  }
}
