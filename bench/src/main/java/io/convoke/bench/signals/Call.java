package io.convoke.bench.signals;

import io.convoke.engine.redis.Script;
import java.util.ArrayList;
import java.util.List;

/** One call to Redis as its words: the smallest step between which anything else may happen. */
record Call(List<String> words) {

  static Call of(String... words) {
    return new Call(List.of(words));
  }

  static Call eval(Script script, List<String> keys, String... args) {
    List<String> words = new ArrayList<>(3 + keys.size() + args.length);
    words.add("EVALSHA");
    words.add(script.sha());
    words.add(Integer.toString(keys.size()));
    words.addAll(keys);
    words.addAll(List.of(args));
    return new Call(words);
  }
}
