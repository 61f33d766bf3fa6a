package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.User;
import tools.jackson.databind.JsonNode;

/** Change a user; absent fields are unchanged. {@code PATCH /admin/users/{id}}. */
public final class ChangeUser extends ApiCall<User> {
  private ChangeUser(CallParts parts) {
    super(parts, AnswerType.json(User.class));
  }

  /** The call, with what it needs. */
  public static ChangeUser of(long id) {
    return new ChangeUser(
        CallParts.once("PATCH", "/admin/users/{id}")
            .path("id", id)
            .body());
  }

  /** {@code email}. */
  public ChangeUser email(String email) {
    return new ChangeUser(parts().member("email", email));
  }

  /** {@code email} is null. */
  public ChangeUser withoutEmail() {
    return new ChangeUser(parts().noMember("email"));
  }

  /** {@code name}. */
  public ChangeUser name(String name) {
    return new ChangeUser(parts().member("name", name));
  }

  /** {@code name} is null. */
  public ChangeUser withoutName() {
    return new ChangeUser(parts().noMember("name"));
  }

  /** {@code image_url}. */
  public ChangeUser imageUrl(String imageUrl) {
    return new ChangeUser(parts().member("image_url", imageUrl));
  }

  /** {@code image_url} is null. */
  public ChangeUser withoutImageUrl() {
    return new ChangeUser(parts().noMember("image_url"));
  }

  /** {@code max_concurrent_bots}: Absent: 1; null: unlimited; 0: none. */
  public ChangeUser maxConcurrentBots(long maxConcurrentBots) {
    return new ChangeUser(parts().member("max_concurrent_bots", maxConcurrentBots));
  }

  /** {@code max_concurrent_bots} is null. */
  public ChangeUser withoutMaxConcurrentBots() {
    return new ChangeUser(parts().noMember("max_concurrent_bots"));
  }

  /** {@code data}. */
  public ChangeUser data(JsonNode data) {
    return new ChangeUser(parts().member("data", data));
  }

  /** {@code data} is null. */
  public ChangeUser withoutData() {
    return new ChangeUser(parts().noMember("data"));
  }

  /** {@code disabled}. */
  public ChangeUser disabled(boolean disabled) {
    return new ChangeUser(parts().member("disabled", disabled));
  }

  /** {@code disabled} is null. */
  public ChangeUser withoutDisabled() {
    return new ChangeUser(parts().noMember("disabled"));
  }

  /** {@code oidc_subject}: Who the user is at the identity provider; null unlinks. */
  public ChangeUser oidcSubject(String oidcSubject) {
    return new ChangeUser(parts().member("oidc_subject", oidcSubject));
  }

  /** {@code oidc_subject} is null. */
  public ChangeUser withoutOidcSubject() {
    return new ChangeUser(parts().noMember("oidc_subject"));
  }
}
