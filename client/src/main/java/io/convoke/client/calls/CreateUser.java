package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.User;
import tools.jackson.databind.JsonNode;

/** Create a user, or find the one that has this email. {@code POST /admin/users}. */
public final class CreateUser extends ApiCall<User> {
  private CreateUser(CallParts parts) {
    super(parts, AnswerType.json(User.class));
  }

  /** The call, with what it needs. */
  public static CreateUser of(String email) {
    return new CreateUser(
        CallParts.withKey("POST", "/admin/users")
            .member("email", email)
            .body());
  }

  /** {@code name}. */
  public CreateUser name(String name) {
    return new CreateUser(parts().member("name", name));
  }

  /** {@code image_url}. */
  public CreateUser imageUrl(String imageUrl) {
    return new CreateUser(parts().member("image_url", imageUrl));
  }

  /** {@code max_concurrent_bots}: Absent: 1; null: unlimited; 0: none. */
  public CreateUser maxConcurrentBots(long maxConcurrentBots) {
    return new CreateUser(parts().member("max_concurrent_bots", maxConcurrentBots));
  }

  /** {@code data}. */
  public CreateUser data(JsonNode data) {
    return new CreateUser(parts().member("data", data));
  }
}
