package io.convoke.simulator.daily;

import io.convoke.simulator.http.JsonObjectBuilder;
import io.convoke.simulator.http.SimRequest;
import io.convoke.simulator.http.SimResponse;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;
import java.util.stream.IntStream;

/** Daily's paging: newest first, cursors are ids of items, at most 100 a page. */
final class DailyPaging {

  private static final int MOST = 100;

  private DailyPaging() {}

  /**
   * Answers with the requested page of these items.
   *
   * @param items newest first
   */
  static <T> SimResponse answer(
      SimRequest simRequest, List<T> items, Function<T, String> id, Function<T, ?> wire) {
    OptionalInt limit = limit(simRequest);
    if (limit.isEmpty()) {
      return DailyError.INVALID_REQUEST.answer("limit must be an integer from 1 to 100");
    }
    int from = 0;
    int until = items.size();
    Optional<String> after = simRequest.query("starting_after");
    if (after.isPresent()) {
      OptionalInt at = find(items, id, after.get());
      if (at.isEmpty()) {
        return DailyError.INVALID_REQUEST.answer("starting_after names no such item");
      }
      from = at.getAsInt() + 1;
    }
    Optional<String> before = simRequest.query("ending_before");
    if (before.isPresent()) {
      OptionalInt at =
          before.get().equals("OLDEST")
              ? OptionalInt.of(items.size())
              : find(items, id, before.get());
      if (at.isEmpty()) {
        return DailyError.INVALID_REQUEST.answer("ending_before names no such item");
      }
      until = Math.max(from, at.getAsInt());
      from = Math.max(from, until - limit.getAsInt());
    }
    List<?> page =
        items.subList(from, Math.min(until, from + limit.getAsInt())).stream().map(wire).toList();
    return SimResponse.ok(
        JsonObjectBuilder.of("total_count", items.size()).put("data", page).map());
  }

  /** The {@code limit} parameter, by default the maximum; empty if it is invalid. */
  static OptionalInt limit(SimRequest simRequest) {
    OptionalInt limit = positive(simRequest, "limit", MOST);
    return limit.isPresent() && limit.getAsInt() <= MOST ? limit : OptionalInt.empty();
  }

  /** A parameter that is a positive integer; empty if it is something else. */
  static OptionalInt positive(SimRequest simRequest, String name, int otherwise) {
    Optional<String> given = simRequest.query(name);
    if (given.isEmpty()) {
      return OptionalInt.of(otherwise);
    }
    try {
      int value = Integer.parseInt(given.get());
      return value >= 1 ? OptionalInt.of(value) : OptionalInt.empty();
    } catch (NumberFormatException notANumber) {
      return OptionalInt.empty();
    }
  }

  static <T> OptionalInt find(List<T> items, Function<T, String> id, String wanted) {
    return IntStream.range(0, items.size())
        .filter(i -> id.apply(items.get(i)).equals(wanted))
        .findFirst();
  }
}
