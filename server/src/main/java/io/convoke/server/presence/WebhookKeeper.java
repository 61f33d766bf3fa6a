package io.convoke.server.presence;

import io.convoke.engine.sql.SqlFailure;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.server.http.Problem;
import java.util.List;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps what a platform posted: in Redis, or in the inbox in Postgres where Redis does not. */
final class WebhookKeeper {
  private static final Logger log = LoggerFactory.getLogger(WebhookKeeper.class);

  private final WebhookInbox webhookInbox;
  private final PresenceMetrics meters;

  WebhookKeeper(WebhookInbox webhookInbox, PresenceMetrics meters) {
    this.webhookInbox = webhookInbox;
    this.meters = meters;
  }

  /**
   * Keeps a post.
   *
   * @param source of the inbox
   * @param accepting writes it to Redis
   * @throws Problem 503 if neither store takes it
   */
  void keep(String source, byte[] body, Supplier<List<WebhookBuffer.BufferResult>> accepting) {
    boolean kept = false;
    try {
      List<WebhookBuffer.BufferResult> results = accepting.get();
      results.forEach(result -> meters.webhook(result.label()));
      kept = !results.contains(WebhookBuffer.BufferResult.DROPPED);
    } catch (RuntimeException refused) {
      log.debug("Redis write of a post failed; writing it to the inbox", refused);
    }
    if (!kept) {
      toInbox(source, body);
    }
  }

  /** Writes a post to the inbox; throws as {@link #keep}. */
  void toInbox(String source, byte[] body) {
    try {
      webhookInbox.put(source, body);
      meters.webhook("inbox");
    } catch (StoreUnavailable | SqlFailure away) {
      meters.webhook("unavailable");
      throw Problem.unavailable("every store");
    }
  }
}
