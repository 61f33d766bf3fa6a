package io.convoke.server.presence;

import io.convoke.server.platform.RecordingEventSink;
import io.convoke.server.platform.WebhookRegistration;
import io.convoke.server.platform.daily.DailySignature;
import java.util.Optional;

/** How the events of a platform reach us. */
public sealed interface EventIntake {

  /**
   * Signed webhooks of Daily.
   *
   * @param signature empty without a webhook secret; every webhook is then refused
   * @param recordings receives recording webhooks
   * @param remote empty when the webhook registration is not managed
   */
  record DailyWebhooks(
      Optional<DailySignature> signature,
      RecordingEventSink recordings,
      Optional<WebhookRegistration> remote)
      implements EventIntake {}

  /**
   * Posts of Janus' sample event handler.
   *
   * @param secret the handler's password; without one every post is refused
   */
  record JanusEvents(Optional<String> secret) implements EventIntake {
    @Override
    public String toString() {
      return "JanusEvents";
    }
  }
}
