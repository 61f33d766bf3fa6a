package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;

/** A segment or picture of an egress, whole or a range. {@code GET /egress/{id}/files/{part}/{name}}. */
public final class GetEgressPartFile extends ApiCall<byte[]> {
  private GetEgressPartFile(CallParts parts) {
    super(parts, AnswerType.bytes());
  }

  /** The call, with what it needs. */
  public static GetEgressPartFile of(String id, String part, String name) {
    return new GetEgressPartFile(
        CallParts.repeatable("GET", "/egress/{id}/files/{part}/{name}")
            .path("id", id)
            .path("part", part)
            .path("name", name));
  }

  /** {@code Range}: One part of the file, such as bytes=0-65535. */
  public GetEgressPartFile range(String range) {
    return new GetEgressPartFile(parts().header("Range", range));
  }
}
