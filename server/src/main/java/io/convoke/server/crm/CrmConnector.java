package io.convoke.server.crm;

import java.io.IOException;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** Client of a CRM that stores meeting notes. */
public interface CrmConnector extends AutoCloseable {

  /** Its dialect: {@code generic}, {@code hubspot}. */
  String kind();

  /**
   * The connector of the meeting's user: the account that the user connected, else this one.
   *
   * @throws IOException when a retry may succeed
   */
  default CrmConnector forMeeting(long meetingId) throws IOException, InterruptedException {
    return this;
  }

  /**
   * The missing properties of the CRM account; empty when none is missing or the check is not
   * permitted.
   *
   * @throws IOException when a retry may succeed
   */
  Optional<String> lacks() throws IOException, InterruptedException;

  /** The note in the CRM's form. Pure. */
  CrmTransformResult transform(MeetingNote note);

  /**
   * Sends the note. Idempotent for the same key and body.
   *
   * @param body the result of {@link #transform}
   * @param note what it was made of, for what the CRM must be asked about; empty if it is lost
   * @throws IOException when a retry may succeed: no connection, 408, 429, 5xx, our key refused
   */
  CrmPushResult push(JsonNode body, Optional<MeetingNote> note, String idempotencyKey)
      throws IOException, InterruptedException;

  @Override
  void close();

  /** The result of converting a note. */
  sealed interface CrmTransformResult {
    record CrmBodyReady(JsonNode body) implements CrmTransformResult {}

    /** The CRM cannot represent it. */
    record CrmBodyImpossible(String why) implements CrmTransformResult {}
  }

  /** The CRM's answer. */
  sealed interface CrmPushResult {
    /** Stored, under the CRM's id; {@code detail} says what it was associated with. */
    record CrmPushAccepted(String id, String detail) implements CrmPushResult {}

    /** Refused permanently. */
    record CrmPushRefused(String why) implements CrmPushResult {}
  }
}
