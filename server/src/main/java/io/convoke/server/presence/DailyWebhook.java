package io.convoke.server.presence;

import io.convoke.engine.redis.RedisUnavailable;
import io.convoke.engine.sql.SqlFailure;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.server.http.Answer;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.Problem;
import io.convoke.server.http.Request;
import io.convoke.server.http.Role;
import io.convoke.server.http.Schema;
import io.convoke.server.platform.RecordingMail;
import io.convoke.server.platform.daily.DailyEvent;
import io.convoke.server.platform.daily.DailyEvents;
import io.convoke.server.platform.daily.DailySignature;
import io.convoke.server.presence.merge.Evidence;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes Daily's webhooks: checks the signature, reads the event, puts it into Redis in one call and
 * answers 200. Everything authentic is answered 200, because three other answers in a row make
 * Daily stop sending. Only with Redis away does it write to the database's inbox; with both away it
 * is 503 and Daily sends again.
 */
final class DailyWebhook {
  private static final Logger log = LoggerFactory.getLogger(DailyWebhook.class);
  private static final int MAX_BODY = 256 * 1024;
  private static final String SIGNATURE = "X-Webhook-Signature";
  private static final String TIMESTAMP = "X-Webhook-Timestamp";

  private final Optional<DailySignature> signature;
  private final WebhookIntake intake;
  private final Inbox inbox;
  private final RecordingMail recordings;
  private final PresenceMeters meters;
  private final InstantSource time;

  DailyWebhook(
      Optional<DailySignature> signature,
      WebhookIntake intake,
      Inbox inbox,
      RecordingMail recordings,
      PresenceMeters meters,
      InstantSource time) {
    this.signature = signature;
    this.intake = intake;
    this.inbox = inbox;
    this.recordings = recordings;
    this.meters = meters;
    this.time = time;
  }

  Endpoint endpoint() {
    return Endpoint.post("/webhooks/daily")
        .id("receiveDailyWebhook")
        .tag("webhooks")
        .summary("Take an event from Daily.")
        .description(
            "Signed by base64(HMAC-SHA256(key, timestamp + \".\" + body)). Everything authentic is"
                + " answered 200.")
        .roles(Role.PUBLIC)
        .header(SIGNATURE, Schema.text())
        .header(TIMESTAMP, Schema.text())
        .rawBody(MAX_BODY)
        .answers(200)
        .problems(401)
        .handle(this::receive);
  }

  private Answer receive(Request request) throws InterruptedException {
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
    DailyEvent event = DailyEvents.parse(body, time.instant());
    if (event instanceof DailyEvent.Recording) {
      keepRecording(body);
      return Answer.ok();
    }
    switch (Arrival.of(event, body)) {
      case Arrival.Witness(Evidence evidence) -> keep(intake.accept(evidence), body);
      case Arrival.Letter letter -> keep(intake.accept(letter), body);
      case Arrival.Nothing(String why) -> meters.webhook(why);
    }
    return Answer.ok();
  }

  private void keep(CompletableFuture<WebhookIntake.Outcome> accepted, byte[] body)
      throws InterruptedException {
    try {
      WebhookIntake.Outcome outcome = accepted.get();
      meters.webhook(outcome.word());
      if (outcome == WebhookIntake.Outcome.DROPPED) {
        toInbox(body);
      }
    } catch (ExecutionException away) {
      log.debug("Redis did not take an event", away);
      toInbox(body);
    }
  }

  private void keepRecording(byte[] body) {
    try {
      recordings.put(body);
      meters.webhook("recording");
    } catch (RedisUnavailable away) {
      log.debug("Redis did not take news of a recording", away);
      toInbox(Presence.RECORDING_INBOX, body);
    }
  }

  private void toInbox(byte[] body) {
    toInbox(Presence.DAILY_INBOX, body);
  }

  private void toInbox(String source, byte[] body) {
    try {
      inbox.put(source, body);
      meters.webhook("inbox");
    } catch (StoreUnavailable | SqlFailure away) {
      meters.webhook("unavailable");
      throw Problem.unavailable("every store");
    }
  }
}
