package io.convoke.server.dispatch;

import io.convoke.engine.dispatch.Task;
import io.convoke.engine.dispatch.TaskListQueries;
import io.convoke.server.http.Cursor;
import io.convoke.server.http.Problem;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;

/** The cursor of a page of tasks. */
final class TaskCursor {
  private TaskCursor() {}

  static String of(Task last) {
    return Cursor.of(last.createdAt().toString(), last.id());
  }

  /**
   * Parses a cursor.
   *
   * @throws Problem 400 if it is invalid
   */
  static TaskListQueries.TaskPosition read(String cursor) {
    List<String> parts = Cursor.parse(cursor);
    try {
      if (parts.size() == 2) {
        return new TaskListQueries.TaskPosition(Instant.parse(parts.get(0)), parts.get(1));
      }
    } catch (DateTimeParseException e) {
      // The same response as for any invalid cursor.
    }
    throw Problem.badRequest("cursor", "is not a cursor of this list");
  }
}
