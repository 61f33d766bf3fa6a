package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.Meeting;
import tools.jackson.databind.JsonNode;

/** Replace the free-form data of a meeting; its outcome stays. {@code PATCH /meetings/{id}}. */
public final class DescribeMeeting extends ApiCall<Meeting> {
  private DescribeMeeting(CallParts parts) {
    super(parts, AnswerType.json(Meeting.class));
  }

  /** The call, with what it needs. */
  public static DescribeMeeting of(long id, JsonNode data) {
    return new DescribeMeeting(
        CallParts.once("PATCH", "/meetings/{id}")
            .path("id", id)
            .member("data", data)
            .body());
  }
}
