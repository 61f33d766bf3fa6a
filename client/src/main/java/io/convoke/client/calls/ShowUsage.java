package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.QuotaUsages;

/** How much the caller has of everything that is limited. {@code GET /usage}. */
public final class ShowUsage extends ApiCall<QuotaUsages> {
  private ShowUsage(CallParts parts) {
    super(parts, AnswerType.json(QuotaUsages.class));
  }

  /** The call, with what it needs. */
  public static ShowUsage of() {
    return new ShowUsage(
        CallParts.repeatable("GET", "/usage"));
  }

  /** {@code user_id}: For admins: whose usage. */
  public ShowUsage userId(long userId) {
    return new ShowUsage(parts().query("user_id", userId));
  }
}
