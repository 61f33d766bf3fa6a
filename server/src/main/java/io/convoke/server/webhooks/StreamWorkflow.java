package io.convoke.server.webhooks;

import io.convoke.engine.durable.ActivityOptions;
import io.convoke.engine.durable.Durable;
import io.convoke.engine.durable.RetryPolicy;
import io.convoke.engine.durable.WorkflowContext;
import java.time.Duration;
import java.util.Optional;

/**
 * Looks after one subject of one endpoint: sends what waits, one after the other, and waits itself
 * where the other side does not take it. It ends when nothing waits or the endpoint is paused.
 */
final class StreamWorkflow {
  static final String NAME = "webhook-stream";
  private static final String SEND = "webhook-stream.send";

  /** Others' servers answer slowly or never, so nothing else waits behind them. */
  private static final String POOL = "webhooks";

  /** Then it begins again with an empty history. */
  private static final int SENT_MAX = 100;

  /** Our own stores may be away for hours; the other side's failures are no failures of ours. */
  private static final ActivityOptions PATIENTLY =
      ActivityOptions.retried(
              new RetryPolicy(1_000, Duration.ofSeconds(1), 2, Duration.ofMinutes(5)))
          .within(Duration.ofMinutes(2));

  private final Sender sender;
  private final int atOnce;

  /** {@code atOnce}: messages that this node sends at a time. */
  StreamWorkflow(Sender sender, int atOnce) {
    this.sender = sender;
    this.atOnce = atOnce;
  }

  /** What is sent in order. */
  record Stream(long endpointId, String subject) {}

  /**
   * What an attempt came to.
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
            .workflow(NAME, Stream.class, this::run)
            .activity(SEND, POOL, Stream.class, (context, stream) -> sender.sendNext(stream));
  }

  private String run(WorkflowContext context, Stream stream) {
    for (int i = 0; i < SENT_MAX; i++) {
      Sent sent = context.activity(SEND, stream, Sent.class, PATIENTLY);
      if (!sent.more()) {
        return "nothing waits";
      }
      sent.waitMillis().ifPresent(wait -> context.sleep(Duration.ofMillis(wait)));
    }
    throw context.continueAsNew(stream);
  }
}
