package io.convoke.engine.journal;

import io.convoke.engine.json.Json;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** An event about to be written; its sequence and time come from the database. */
public record NewEvent(String type, String subject, Optional<Long> userId, JsonNode data) {

  /** {@code data} is a record or a map; it must hold no secret, since the journal is kept. */
  public static NewEvent of(String type, String subject, Optional<Long> userId, Object data) {
    return new NewEvent(type, subject, userId, Json.tree(data));
  }
}
