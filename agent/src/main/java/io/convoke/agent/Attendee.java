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
  private static final int NAME_MAX = 255;

  /** A name or id on one line, as long as a report may hold it. */
  static String line(String name) {
    return ReportText.line(name, NAME_MAX);
  }

  /** The same; empty where nothing of it is left. */
  static Optional<String> line(Optional<String> name) {
    return name.map(Attendee::line).filter(text -> !text.isEmpty());
  }

  /** Cut to what a report may hold: a stranger's name must not stop the others. */
  Attendee reportable() {
    return new Attendee(line(sessionId), line(userId), line(userName), joinedAt);
  }

  Map<String, Object> json() {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("session_id", sessionId);
    userId.ifPresent(id -> json.put("user_id", id));
    userName.ifPresent(name -> json.put("user_name", name));
    json.put("joined_at", joinedAt);
    return json;
  }
}
