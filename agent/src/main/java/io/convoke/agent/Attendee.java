package io.convoke.agent;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A participant's connection. A person with two tabs has two of them; users and names may be
 * unknown.
 *
 * @param sessionId the connection's own id, the same for as long as it is in the room
 */
public record Attendee(
    String sessionId, Optional<String> userId, Optional<String> userName, Instant joinedAt) {
  Map<String, Object> json() {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("session_id", sessionId);
    userId.ifPresent(id -> json.put("user_id", id));
    userName.ifPresent(name -> json.put("user_name", name));
    json.put("joined_at", joinedAt);
    return json;
  }
}
