package io.convoke.server.http;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** One page of a list, rendered as {@code {"items": [...], "next_cursor": null}}. */
public record Slice<T>(List<T> items, Optional<String> nextCursor) {
  public Slice {
    items = List.copyOf(items);
  }

  /**
   * Cuts rows that were read with {@code limit + 1} down to a page; the cursor is taken from the
   * last row kept when there are more.
   */
  public static <T> Slice<T> of(List<T> rows, Page page, Function<T, String> cursorOf) {
    if (rows.size() <= page.limit()) {
      return new Slice<>(rows, Optional.empty());
    }
    List<T> kept = rows.subList(0, page.limit());
    return new Slice<>(kept, Optional.of(cursorOf.apply(kept.getLast())));
  }

  /** The same page with every item rendered by {@code view}. */
  public <R> Slice<R> map(Function<T, R> view) {
    return new Slice<>(items.stream().map(view).toList(), nextCursor);
  }
}
