package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;

/** A file of an egress, whole or a range. {@code GET /egress/{id}/files/{name}}. */
public final class GetEgressFile extends ApiCall<byte[]> {
  private GetEgressFile(CallParts parts) {
    super(parts, AnswerType.bytes());
  }

  /** The call, with what it needs. */
  public static GetEgressFile of(String id, String name) {
    return new GetEgressFile(
        CallParts.repeatable("GET", "/egress/{id}/files/{name}")
            .path("id", id)
            .path("name", name));
  }

  /** {@code Range}: One part of the file, such as bytes=0-65535. */
  public GetEgressFile range(String range) {
    return new GetEgressFile(parts().header("Range", range));
  }
}
