package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.ParticipantsView;
import java.util.List;

/** List the present and past participants of a meeting. {@code GET /meetings/{id}/participants}. */
public final class ListParticipants extends ApiCall<ParticipantsView> {
  private ListParticipants(CallParts parts) {
    super(parts, AnswerType.json(ParticipantsView.class));
  }

  /** The call, with what it needs. */
  public static ListParticipants of(long id) {
    return new ListParticipants(
        CallParts.repeatable("GET", "/meetings/{id}/participants")
            .path("id", id));
  }

  /** {@code active}: True: only the present participants. */
  public ListParticipants active(boolean active) {
    return new ListParticipants(parts().query("active", active));
  }
}
