package io.convoke.server.http;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** One page of a list, rendered as {@code {"items": [...], "next_cursor": null}}. */
public record Page<T>(List<T> items, Optional<String> nextCursor) {
  public Page {
    items = List.copyOf(items);
  }

  /**
   * Cuts rows that were read with {@code limit + 1} down to a page; the cursor is taken from the
   * last row kept when there are more.
   */
  public static <T> Page<T> of(
      List<T> rows, PageRequest pageRequest, Function<T, String> cursorOf) {
    if (rows.size() <= pageRequest.limit()) {
      return new Page<>(rows, Optional.empty());
    }
    List<T> kept = rows.subList(0, pageRequest.limit());
    return new Page<>(kept, Optional.of(cursorOf.apply(kept.getLast())));
  }

  /** The same page with every item rendered by {@code view}. */
  public <R> Page<R> map(Function<T, R> view) {
    return new Page<>(items.stream().map(view).toList(), nextCursor);
  }
}
