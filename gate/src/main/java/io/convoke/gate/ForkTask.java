package io.convoke.gate;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Set;

/**
 * One class or method that the scheduler sends to a fork.
 *
 * @param method one test method, or empty for all of the class
 * @param excludedTags tests with one of these tags are left out
 */
record ForkTask(String className, String method, Set<String> excludedTags) {
  void write(DataOutputStream out) throws IOException {
    TestEvent.text(out, className);
    TestEvent.text(out, method);
    TestEvent.text(out, String.join(",", excludedTags));
    out.flush();
  }

  static ForkTask read(DataInputStream in) throws IOException {
    String className = TestEvent.text(in);
    String method = TestEvent.text(in);
    String tags = TestEvent.text(in);
    return new ForkTask(className, method, tags.isEmpty() ? Set.of() : Set.of(tags.split(",", -1)));
  }
}
