package io.convoke.server.crm;

import java.io.IOException;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** A CRM that notes of meetings are brought to. */
public interface Crm extends AutoCloseable {

  /** Its dialect: {@code generic}, {@code hubspot}. */
  String kind();

  /**
   * What the account over there lacks, without which no note would fit; empty when it has it all,
   * and when it does not let us look: what nobody knows is no reason to refuse.
   *
   * @throws IOException when it may tell the next time
   */
  Optional<String> lacks() throws IOException, InterruptedException;

  /** The note in the CRM's words. Pure. */
  Transformed transform(MeetingNote note);

  /**
   * Brings it there. The same key with the same body has its effect once, however often it is sent.
   *
   * @throws IOException when it may work the next time: no connection, 408, 429, 5xx, our key
   *     refused
   */
  Pushed push(JsonNode body, String idempotencyKey) throws IOException, InterruptedException;

  @Override
  void close();

  /** What a note came to in the CRM's words. */
  sealed interface Transformed {
    record Ready(JsonNode body) implements Transformed {}

    /** The CRM has no words for it. */
    record Unfit(String why) implements Transformed {}
  }

  /** What the CRM said. */
  sealed interface Pushed {
    /** It has it, under an id of its own. */
    record Accepted(String id) implements Pushed {}

    /** It refuses this body for good. */
    record Refused(String why) implements Pushed {}
  }
}
