package io.convoke.server.presence;

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

/**
 * Receives the posts of Janus' sample event handler: checks the password, parses the batch and
 * enqueues its events in Redis. Janus drops a batch after a few tries without an answer, and at
 * once after an answer that is an error, so its events are evidence that may be missing; the polls
 * are what counts. If Redis is unreachable, the post goes to the inbox table.
 */
final class JanusEventsEndpoint {
  /** Janus sends at most 100 events in a batch: some thousand fit. */
  private static final int MAX_BODY = 2 * 1024 * 1024;

  private static final String AUTHORIZATION = "Authorization";

  private final Optional<JanusEventPassword> password;
  private final WebhookBuffer buffer;
  private final WebhookKeeper keeper;
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
    this.keeper = new WebhookKeeper(webhookInbox, meters);
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
        .header(
            AUTHORIZATION,
            Schema.text().describe("Basic authentication, with the secret as its password."))
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
          keeper.keep(PresenceFeature.JANUS_INBOX, body, () -> buffer.acceptAll(events));
        }
      }
      case JanusPost.UnreadablePost(String reason) ->
          keeper.keep(
              PresenceFeature.JANUS_INBOX,
              body,
              () -> List.of(buffer.accept(DeadLetter.of(reason, body))));
    }
    return Response.ok();
  }
}
