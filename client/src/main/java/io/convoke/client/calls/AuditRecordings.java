package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.StorageAudit;

/** Compare the store of audio with the rows, both ways. {@code GET /admin/recordings/audit}. */
public final class AuditRecordings extends ApiCall<StorageAudit> {
  private AuditRecordings(CallParts parts) {
    super(parts, AnswerType.json(StorageAudit.class));
  }

  /** The call, with what it needs. */
  public static AuditRecordings of() {
    return new AuditRecordings(
        CallParts.repeatable("GET", "/admin/recordings/audit"));
  }
}
