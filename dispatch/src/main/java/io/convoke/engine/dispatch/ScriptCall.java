package io.convoke.engine.dispatch;

import io.convoke.engine.redis.LuaScript;
import io.convoke.engine.redis.Redis;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One call of a Lua script with its arguments, and how to read its reply. */
record ScriptCall<T>(
    LuaScript script, KeySpace keySpace, List<String> args, Function<List<?>, T> reading) {

  /** Runs the script and waits for its reply. */
  T on(Redis redis) {
    return read(redis.eval(script, List.of(keySpace.prefix()), args));
  }

  /** Sends the script without waiting. */
  CompletionStage<T> begin(Redis redis) {
    return redis.evalAsync(script, List.of(keySpace.prefix()), args).thenApply(this::read);
  }

  /** The same call with its result converted. */
  <R> ScriptCall<R> map(Function<T, R> mapping) {
    return new ScriptCall<>(script, keySpace, args, reading.andThen(mapping));
  }

  private T read(@Nullable Object answer) {
    if (answer instanceof List<?> list) {
      return reading.apply(list);
    }
    if (answer instanceof Long number) {
      return reading.apply(List.of(number));
    }
    throw new IllegalStateException(script.name() + " returned " + answer);
  }
}
