package io.convoke.bench.signals;

import io.convoke.engine.redis.LuaScript;
import java.util.ArrayList;
import java.util.List;

/** One Redis command: the smallest step of an interleaving. */
record RedisCall(List<String> words) {

  static RedisCall of(String... words) {
    return new RedisCall(List.of(words));
  }

  static RedisCall eval(LuaScript luaScript, List<String> keys, String... args) {
    List<String> words = new ArrayList<>(3 + keys.size() + args.length);
    words.add("EVALSHA");
    words.add(luaScript.sha());
    words.add(Integer.toString(keys.size()));
    words.addAll(keys);
    words.addAll(List.of(args));
    return new RedisCall(words);
  }
}
