package io.convoke.engine.dispatch;

import io.convoke.engine.redis.LuaScript;
import java.util.List;
import java.util.function.Consumer;

/** An operation: calls, one of them checked, and the model's check of its result. */
record ModelOp<T>(
    String name,
    List<ScriptCall<?>> before,
    ScriptCall<T> call,
    List<ScriptCall<?>> after,
    Consumer<T> check) {
  ModelOp(String name, ScriptCall<T> scriptCall, Consumer<T> check) {
    this(name, List.of(), scriptCall, List.of(), check);
  }

  /** Redis loses a key space, and its rebuild begins. */
  static final LuaScript FORGET =
      LuaScript.of(
          "forget",
          """
          for _, key in ipairs(redis.call('KEYS', KEYS[1] .. '*')) do
            if key ~= KEYS[1] .. 'clock' then
              redis.call('DEL', key)
            end
          end
          redis.call('SET', KEYS[1] .. 'dispatch:rebuild', 'token')
          return 1
          """);
}
