package io.convoke.server.crm;

import java.io.IOException;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** A CRM that notes of meetings are brought to. */
public interface CrmConnector extends AutoCloseable {

  /** Its dialect: {@code generic}, {@code hubspot}. */
  String kind();

  /**
   * What the CRM account lacks for a note; empty when it lacks nothing, and when it does not permit
   * the check: the note is then tried.
   *
   * @throws IOException when a retry may succeed
   */
  Optional<String> lacks() throws IOException, InterruptedException;

  /** The note in the CRM's form. Pure. */
  CrmTransformResult transform(MeetingNote note);

  /**
   * Brings it there. The same key with the same body has its effect once, however often it is sent.
   *
   * @throws IOException when it may work the next time: no connection, 408, 429, 5xx, our key
   *     refused
   */
  CrmPushResult push(JsonNode body, String idempotencyKey) throws IOException, InterruptedException;

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
    /** It has it, under an id of its own. */
    record CrmPushAccepted(String id) implements CrmPushResult {}

    /** It refuses this body for good. */
    record CrmPushRefused(String why) implements CrmPushResult {}
  }
}
