package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.StorageAudit;

/** Audit and repair: delete blobs without a row and correct rows without a blob. {@code POST /admin/recordings/audit}. */
public final class RepairRecordings extends ApiCall<StorageAudit> {
  private RepairRecordings(CallParts parts) {
    super(parts, AnswerType.json(StorageAudit.class));
  }

  /** The call, with what it needs. */
  public static RepairRecordings of() {
    return new RepairRecordings(
        CallParts.once("POST", "/admin/recordings/audit"));
  }
}
