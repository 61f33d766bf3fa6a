package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.Meeting;

/** One meeting. {@code GET /meetings/{id}}. */
public final class GetMeeting extends ApiCall<Meeting> {
  private GetMeeting(CallParts parts) {
    super(parts, AnswerType.json(Meeting.class));
  }

  /** The call, with what it needs. */
  public static GetMeeting of(long id) {
    return new GetMeeting(
        CallParts.repeatable("GET", "/meetings/{id}")
            .path("id", id));
  }
}
