package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.NewWebhookEndpoint;
import java.util.List;

/** Register an endpoint for events, delivered by Standard Webhooks. {@code POST /webhook-endpoints}. */
public final class CreateWebhookEndpoint extends ApiCall<NewWebhookEndpoint> {
  private CreateWebhookEndpoint(CallParts parts) {
    super(parts, AnswerType.json(NewWebhookEndpoint.class));
  }

  /** The call, with what it needs. */
  public static CreateWebhookEndpoint of(String url) {
    return new CreateWebhookEndpoint(
        CallParts.withKey("POST", "/webhook-endpoints")
            .member("url", url)
            .body());
  }

  /** {@code user_id}: For admins: the user to act for or to filter by. */
  public CreateWebhookEndpoint userId(long userId) {
    return new CreateWebhookEndpoint(parts().query("user_id", userId));
  }

  /** {@code types}. */
  public CreateWebhookEndpoint types(List<String> types) {
    return new CreateWebhookEndpoint(parts().member("types", types));
  }
}
