package io.convoke.server.presence;

import io.convoke.engine.redis.RedisUnavailable;
import io.convoke.engine.sql.SqlFailure;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.server.http.CallerRole;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.Problem;
import io.convoke.server.http.Request;
import io.convoke.server.http.Response;
import io.convoke.server.http.Schema;
import io.convoke.server.platform.PresenceEvent;
import io.convoke.server.platform.janus.JanusEventParser;
import io.convoke.server.platform.janus.JanusEventParser.JanusPost;
import io.convoke.server.platform.janus.JanusEventPassword;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Receives the posts of Janus' sample event handler: checks the password, parses the batch and
 * enqueues its events in Redis. Janus drops a batch after a few tries, so its events are evidence
 * that may be missing; the polls are what counts. If Redis is unreachable, the post goes to the
 * inbox table.
 */
final class JanusEventsEndpoint {
  private static final Logger log = LoggerFactory.getLogger(JanusEventsEndpoint.class);

  /** A batch has as many events as Janus had when it sent: some thousand fit. */
  private static final int MAX_BODY = 2 * 1024 * 1024;

  private static final String AUTHORIZATION = "Authorization";

  private final Optional<JanusEventPassword> password;
  private final WebhookBuffer buffer;
  private final WebhookInbox webhookInbox;
  private final PresenceMetrics meters;
  private final InstantSource time;

  JanusEventsEndpoint(
      Optional<JanusEventPassword> password,
      WebhookBuffer buffer,
      WebhookInbox webhookInbox,
      PresenceMetrics meters,
      InstantSource time) {
    this.password = password;
    this.buffer = buffer;
    this.webhookInbox = webhookInbox;
    this.meters = meters;
    this.time = time;
  }

  Endpoint endpoint() {
    return Endpoint.post("/webhooks/janus")
        .id("receiveJanusEvents")
        .tag("webhooks")
        .summary("Receive events from the sample event handler of Janus.")
        .description(
            "Basic authentication: any user, and CONVOKE_JANUS_EVENT_SECRET as the password. Every"
                + " authentic post is answered 200.")
        .roles(CallerRole.PUBLIC)
        .header(AUTHORIZATION, Schema.text())
        .rawBody(MAX_BODY)
        .answers(200)
        .problems(401)
        .handle(this::receive);
  }

  private Response receive(Request request) {
    byte[] body = request.rawBody();
    if (password.filter(it -> it.opens(request.header(AUTHORIZATION))).isEmpty()) {
      meters.webhook("refused");
      throw Problem.unauthorized();
    }
    switch (JanusEventParser.parse(body, time.instant())) {
      case JanusPost.JanusEventsRead(List<PresenceEvent> events) -> {
        if (!events.isEmpty()) {
          keep(events, body);
        }
      }
      case JanusPost.UnreadablePost(String reason) -> keep(DeadLetter.of(reason, body), body);
    }
    return Response.ok();
  }

  private void keep(List<PresenceEvent> events, byte[] body) {
    try {
      List<WebhookBuffer.BufferResult> results = buffer.acceptAll(events);
      results.forEach(result -> meters.webhook(result.label()));
      if (results.contains(WebhookBuffer.BufferResult.DROPPED)) {
        toInbox(body);
      }
    } catch (RedisUnavailable away) {
      log.debug("Redis write of Janus' events failed; writing them to the inbox", away);
      toInbox(body);
    }
  }

  private void keep(DeadLetter letter, byte[] body) {
    try {
      meters.webhook(buffer.accept(letter).label());
    } catch (RedisUnavailable away) {
      log.debug("Redis write of a dead letter failed; writing it to the inbox", away);
      toInbox(body);
    }
  }

  private void toInbox(byte[] body) {
    try {
      webhookInbox.put(PresenceFeature.JANUS_INBOX, body);
      meters.webhook("inbox");
    } catch (StoreUnavailable | SqlFailure away) {
      meters.webhook("unavailable");
      throw Problem.unavailable("every store");
    }
  }
}
