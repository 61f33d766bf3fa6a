package io.convoke.engine.dispatch;

import io.convoke.engine.redis.LuaScript;
import io.convoke.engine.redis.Redis;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One call of a function: what is sent, and how the answer is read. */
record ScriptCall<T>(
    LuaScript script, KeySpace place, List<String> args, Function<List<?>, T> reading) {

  /** Runs it and waits. */
  T on(Redis redis) {
    return read(redis.eval(script, List.of(place.prefix()), args));
  }

  /** Runs it without waiting. */
  CompletionStage<T> begin(Redis redis) {
    return redis.evalAsync(script, List.of(place.prefix()), args).thenApply(this::read);
  }

  private T read(@Nullable Object answer) {
    if (answer instanceof List<?> list) {
      return reading.apply(list);
    }
    if (answer instanceof Long number) {
      return reading.apply(List.of(number));
    }
    throw new IllegalStateException(script.name() + " answered " + answer);
  }
}
