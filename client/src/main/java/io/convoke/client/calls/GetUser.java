package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.User;

/** Show a user. {@code GET /admin/users/{id}}. */
public final class GetUser extends ApiCall<User> {
  private GetUser(CallParts parts) {
    super(parts, AnswerType.json(User.class));
  }

  /** The call, with what it needs. */
  public static GetUser of(long id) {
    return new GetUser(
        CallParts.repeatable("GET", "/admin/users/{id}")
            .path("id", id));
  }
}
