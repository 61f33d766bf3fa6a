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
 * The holder of a lane of an endpoint: sends what is due in it, one message after the other, and
 * sleeps while the endpoint's share of this node is used up. It ends when nothing is due or the
 * endpoint is paused.
 */
final class LaneWorkflow {
  static final String NAME = "webhook-lane";
  private static final String SEND = "webhook-lane.send";

  /** Workflows of the release before, one for each stream. */
  private static final String STREAM = "webhook-stream";

  private static final String STREAM_SEND = "webhook-stream.send";

  /** Others' servers answer slowly or never, so nothing else waits behind them. */
  private static final String POOL = "webhooks";

  /** Then it begins again with an empty history. */
  private static final int TIMES_MAX = 100;

  /** Our own stores may be away for hours; the other side's failures are no failures of ours. */
  private static final ActivityOptions PATIENTLY =
      ActivityOptions.retried(
              new RetryPolicy(1_000, Duration.ofSeconds(1), 2, Duration.ofMinutes(5)))
          .within(Duration.ofMinutes(2));

  private final DeliverySender deliverySender;
  private final Database database;
  private final int atOnce;

  /** {@code atOnce}: messages that this node sends at a time. */
  LaneWorkflow(DeliverySender deliverySender, Database database, int atOnce) {
    this.deliverySender = deliverySender;
    this.database = database;
    this.atOnce = atOnce;
  }

  /** Some of the streams of an endpoint; see {@link LaneStore}. */
  record Lane(long endpointId, int lane) {}

  /** What a workflow of the release before sends. */
  record Stream(long endpointId, String subject) {}

  /**
   * The result of sending.
   *
   * @param more whether there may be more to send
   * @param waitMillis before the same is tried again
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

  /** Leaves a stream of the release before to the first lane, where all such streams are. */
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
