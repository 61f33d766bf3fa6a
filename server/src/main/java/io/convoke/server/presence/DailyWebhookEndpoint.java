package io.convoke.server.presence;

import io.convoke.engine.redis.RedisUnavailable;
import io.convoke.server.http.CallerRole;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.Problem;
import io.convoke.server.http.Request;
import io.convoke.server.http.Response;
import io.convoke.server.http.Schema;
import io.convoke.server.platform.PresenceEvent;
import io.convoke.server.platform.RecordingEventSink;
import io.convoke.server.platform.daily.DailySignature;
import io.convoke.server.platform.daily.DailyWebhookParser;
import io.convoke.server.platform.daily.ParsedWebhook;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Receives Daily's webhooks: checks the signature, parses the body, enqueues the event in Redis
 * with one call and answers 200. Every authentic webhook gets 200, because Daily disables a webhook
 * after three failures in a row. If Redis is unreachable, the event goes to the inbox table; if
 * Postgres is unreachable too, the response is 503 and Daily retries.
 */
final class DailyWebhookEndpoint {
  private static final Logger log = LoggerFactory.getLogger(DailyWebhookEndpoint.class);
  private static final int MAX_BODY = 1024 * 1024;
  private static final String SIGNATURE = "X-Webhook-Signature";
  private static final String TIMESTAMP = "X-Webhook-Timestamp";

  private final Optional<DailySignature> signature;
  private final WebhookBuffer buffer;
  private final WebhookKeeper keeper;
  private final RecordingEventSink recordings;
  private final PresenceMetrics meters;
  private final InstantSource time;

  DailyWebhookEndpoint(
      Optional<DailySignature> signature,
      WebhookBuffer buffer,
      WebhookInbox webhookInbox,
      RecordingEventSink recordings,
      PresenceMetrics meters,
      InstantSource time) {
    this.signature = signature;
    this.buffer = buffer;
    this.keeper = new WebhookKeeper(webhookInbox, meters);
    this.recordings = recordings;
    this.meters = meters;
    this.time = time;
  }

  Endpoint endpoint() {
    return Endpoint.post("/webhooks/daily")
        .id("receiveDailyWebhook")
        .tag("webhooks")
        .summary("Receive an event from Daily.")
        .description(
            "Signed by base64(HMAC-SHA256(key, timestamp + \".\" + body)). Every authentic event is"
                + " answered 200.")
        .roles(CallerRole.PUBLIC)
        .header(SIGNATURE, Schema.text().describe("The signature of timestamp and body."))
        .header(TIMESTAMP, Schema.text().describe("When Daily sent it, as the signature has it."))
        .rawBody(MAX_BODY)
        .answers(200)
        .problems(401)
        .handle(this::receive);
  }

  private Response receive(Request request) {
    byte[] body = request.rawBody();
    boolean authentic =
        signature.isPresent()
            && signature
                .get()
                .verifies(
                    request.header(SIGNATURE), request.header(TIMESTAMP), body, time.instant());
    if (!authentic) {
      meters.webhook("refused");
      throw Problem.unauthorized();
    }
    switch (DailyWebhookParser.parse(body, time.instant())) {
      case ParsedWebhook.PresenceWebhook(PresenceEvent event) ->
          keep(body, () -> buffer.accept(event));
      case ParsedWebhook.UnreadableWebhook(String reason) ->
          keep(body, () -> buffer.accept(DeadLetter.of(reason, body)));
      case ParsedWebhook.RecordingWebhookReceived _ -> keepRecording(body);
      case ParsedWebhook.IgnoredWebhook(String reason) -> meters.webhook(reason);
    }
    return Response.ok();
  }

  private void keep(byte[] body, Supplier<WebhookBuffer.BufferResult> accepting) {
    keeper.keep(PresenceFeature.DAILY_INBOX, body, () -> List.of(accepting.get()));
  }

  private void keepRecording(byte[] body) {
    try {
      recordings.put(body);
      meters.webhook("recording");
    } catch (RedisUnavailable away) {
      log.debug("Redis write of a recording webhook failed; writing it to the inbox", away);
      keeper.toInbox(PresenceFeature.RECORDING_INBOX, body);
    }
  }
}
