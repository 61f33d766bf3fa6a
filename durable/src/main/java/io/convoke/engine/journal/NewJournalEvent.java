package io.convoke.engine.journal;

import io.convoke.engine.json.Json;
import java.util.Optional;

/**
 * An event about to be written; its sequence and time come from the database.
 *
 * @param data a JSON object as it is written
 */
public record NewJournalEvent(String type, String subject, Optional<Long> userId, String data) {

  /** {@code data} is a record or a map; it must hold no secret, since the journal is kept. */
  public static NewJournalEvent of(
      String type, String subject, Optional<Long> userId, Object data) {
    return new NewJournalEvent(type, subject, userId, Json.write(data));
  }
}
