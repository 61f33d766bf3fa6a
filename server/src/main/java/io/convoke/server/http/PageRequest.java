package io.convoke.server.http;

import java.util.Optional;

/**
 * The requested page of a list: at most {@code limit} items (1..200) after {@code cursor}. Read the
 * cursor with {@link Cursor#parse(String)}; fetch {@code limit + 1} rows and let {@link Page#of}
 * cut.
 */
public record PageRequest(int limit, Optional<String> cursor) {
  /** The default number of items. */
  public static final int DEFAULT_LIMIT = 50;

  /** The largest number of items. */
  public static final int MAX_LIMIT = 200;
}
