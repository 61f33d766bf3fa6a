package io.convoke.server.webhooks;

import io.convoke.engine.durable.ActivityOptions;
import io.convoke.engine.durable.Durable;
import io.convoke.engine.durable.RetryPolicy;
import io.convoke.engine.durable.WorkflowContext;
import io.convoke.engine.sql.Database;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The workflow that holds a lane of an endpoint: sends the due messages in order and sleeps while
 * the limiter refuses. It ends when nothing is due, the endpoint is paused or its user disabled.
 */
final class LaneWorkflow {
  static final String NAME = "webhook-lane";
  private static final String SEND = "webhook-lane.send";

  /** Workflows of the previous release, one per stream. */
  private static final String STREAM = "webhook-stream";

  private static final String STREAM_SEND = "webhook-stream.send";

  /** A separate pool, because endpoints may respond slowly or never. */
  private static final String POOL = "webhooks";

  /** Iterations before the workflow continues as new. */
  private static final int TIMES_MAX = 100;

  /**
   * Retries for hours while stores are unreachable; failed deliveries are not failures of the
   * activity.
   */
  private static final ActivityOptions PATIENTLY =
      ActivityOptions.retried(
              new RetryPolicy(1_000, Duration.ofSeconds(1), 2, Duration.ofMinutes(5)))
          .within(Duration.ofMinutes(2));

  private final DeliverySender deliverySender;
  private final Database database;
  private final int atOnce;

  /** {@code atOnce}: concurrent deliveries of this node. */
  LaneWorkflow(DeliverySender deliverySender, Database database, int atOnce) {
    this.deliverySender = deliverySender;
    this.database = database;
    this.atOnce = atOnce;
  }

  /** Some of the streams of an endpoint; see {@link LaneStore}. */
  record Lane(long endpointId, int lane) {}

  /** Input of a workflow of the previous release. */
  record Stream(long endpointId, String subject) {}

  /**
   * The result of sending.
   *
   * @param more whether there may be more to send
   * @param waitMillis pause before the next call
   */
  record Sent(boolean more, Optional<Long> waitMillis) {
    static final Sent NOTHING = new Sent(false, Optional.empty());
    static final Sent ONE = new Sent(true, Optional.empty());

    static Sent later(Duration wait) {
      return new Sent(true, Optional.of(wait.toMillis()));
    }
  }

  void register(Durable.Builder engine) {
    var _ =
        engine
            .pool(POOL, atOnce)
            .workflow(NAME, Lane.class, (context, lane) -> run(context, SEND, lane))
            .activity(
                SEND,
                POOL,
                Lane.class,
                (context, lane) -> deliverySender.send(lane, context.instanceId()))
            .workflow(STREAM, Stream.class, (context, stream) -> run(context, STREAM_SEND, stream))
            .activity(STREAM_SEND, POOL, Stream.class, (context, stream) -> handOver(stream));
  }

  /** Moves a stream of the previous release to the first lane, which has all such streams. */
  private Sent handOver(Stream stream) {
    database.run(
        tx ->
            WebhookEndpointStore.find(tx, stream.endpointId())
                .ifPresent(endpoint -> LaneStore.start(tx, endpoint.id(), List.of(0))));
    return Sent.NOTHING;
  }

  private static String run(WorkflowContext context, String activity, Record input) {
    for (int i = 0; i < TIMES_MAX; i++) {
      Sent sent = context.activity(activity, input, Sent.class, PATIENTLY);
      if (!sent.more()) {
        return "nothing waits";
      }
      sent.waitMillis().ifPresent(wait -> context.sleep(Duration.ofMillis(wait)));
    }
    throw context.continueAsNew(input);
  }
}
