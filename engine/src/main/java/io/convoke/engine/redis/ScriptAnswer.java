package io.convoke.engine.redis;

import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.CommandOutput;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a script returned, as it returned it: a Long, a String, a List of those, or null. The
 * client's own outputs wrap a lone value in a list, which cannot be told from a list of one.
 */
final class ScriptAnswer extends CommandOutput<String, String, @Nullable Object> {
  /** Lists that still expect elements, the innermost last. */
  private final Deque<Open> open = new ArrayDeque<>();

  private static final class Open {
    private final List<@Nullable Object> list;
    private int missing;

    private Open(List<@Nullable Object> list, int missing) {
      this.list = list;
      this.missing = missing;
    }
  }

  ScriptAnswer() {
    super(StringCodec.UTF8, null);
  }

  @Override
  public void set(@Nullable ByteBuffer bytes) {
    add(bytes == null ? null : codec.decodeValue(bytes));
  }

  @Override
  public void set(long integer) {
    add(integer);
  }

  @Override
  public void multi(int count) {
    if (count < 0) {
      add(null);
      return;
    }
    List<@Nullable Object> list = new ArrayList<>(count);
    add(list);
    if (count > 0) {
      open.addLast(new Open(list, count));
    }
  }

  private void add(@Nullable Object value) {
    Open innermost = open.peekLast();
    if (innermost == null) {
      output = value;
      return;
    }
    innermost.list.add(value);
    innermost.missing--;
    // A list that this value fills is complete, unless the value is a list that opens next.
    while (innermost != null && innermost.missing == 0) {
      open.removeLast();
      innermost = open.peekLast();
    }
  }
}
