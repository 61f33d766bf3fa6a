package io.convoke.engine.redis;

import static io.lettuce.core.codec.StringCodec.UTF8;

import io.lettuce.core.output.NestedMultiOutput;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a script returned, of whatever type. The client's own outputs for scripts must be told the
 * type beforehand, and the one for any type puts a lone number into a list and fails for a text.
 */
final class ScriptOutput extends NestedMultiOutput<String, String> {
  private boolean array;

  ScriptOutput() {
    super(UTF8);
  }

  @Override
  public void multi(int count) {
    array = true;
    super.multi(count);
  }

  /** Long, String, List of such, or null. */
  @Nullable Object value() {
    List<Object> values = get();
    if (array) {
      return values;
    }
    return values.isEmpty() ? null : values.getFirst();
  }
}
