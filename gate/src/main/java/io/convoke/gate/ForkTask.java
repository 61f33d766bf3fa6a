package io.convoke.gate;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Set;

/**
 * One class, or some of its methods, that the scheduler sends to a fork.
 *
 * @param methods the test methods, or empty for all of the class
 * @param excludedTags tests with one of these tags are left out
 */
record ForkTask(String className, Set<String> methods, Set<String> excludedTags) {
  void write(DataOutputStream out) throws IOException {
    TestEvent.text(out, className);
    TestEvent.text(out, String.join(",", methods));
    TestEvent.text(out, String.join(",", excludedTags));
    out.flush();
  }

  static ForkTask read(DataInputStream in) throws IOException {
    String className = TestEvent.text(in);
    Set<String> methods = names(TestEvent.text(in));
    return new ForkTask(className, methods, names(TestEvent.text(in)));
  }

  private static Set<String> names(String list) {
    return list.isEmpty() ? Set.of() : Set.of(list.split(",", -1));
  }
}
