package io.convoke.engine.durable.runtime;

import io.convoke.engine.durable.EnqueueOptions;
import io.convoke.engine.durable.JobOptions;
import io.convoke.engine.durable.provider.NewJob;
import io.convoke.engine.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** The content of a job's work item: its input, and the trace in which it was enqueued, if any. */
public record JobPayload(JsonNode input, @Nullable String trace) {
  private static final int NAME_MAX = 200;
  private static final int BYTES_MAX = 1 << 20;

  /**
   * A job to be queued, with a new id.
   *
   * @throws IllegalArgumentException if its name is blank or longer than {@value #NAME_MAX}
   *     characters, or its input larger than 1 MiB
   */
  public static NewJob job(
      String name, @Nullable Object input, EnqueueOptions options, Optional<String> trace) {
    checkName(name);
    String payload = Json.write(new JobPayload(WorkflowRegistry.tree(input), trace.orElse(null)));
    if (payload.length() > BYTES_MAX
        || (payload.length() > BYTES_MAX / 3
            && payload.getBytes(StandardCharsets.UTF_8).length > BYTES_MAX)) {
      throw new IllegalArgumentException(
          "the input of a job has at most 1 MiB as JSON; store it elsewhere and enqueue its key");
    }
    return new NewJob(JobIds.next(), name, payload, options);
  }

  static void checkName(String name) {
    if (name.isBlank() || name.length() > NAME_MAX || name.indexOf('\0') >= 0) {
      throw new IllegalArgumentException(
          "the name of a job has 1 to " + NAME_MAX + " characters: " + name);
    }
  }

  /** The input of a stored payload. */
  public static JsonNode inputOf(String payload) {
    return Json.read(payload).path("input");
  }

  static JobPayload read(String payload) {
    return Json.read(payload, JobPayload.class);
  }

  /** The attempt as the executor runs it, by the options of this node. */
  ActivityTask task(String name, JobOptions options) {
    return ActivityTask.of(
        name, input, options.retry(), options.timeout(), options.heartbeat(), trace);
  }
}
