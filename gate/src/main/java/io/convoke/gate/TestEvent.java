package io.convoke.gate;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * What a fork reports to the scheduler while it runs a class.
 *
 * @param test its class and method
 * @param detail the stack trace of a failure, or why a test was skipped
 * @param millis how long the test took; of a class, the CPU time of the fork
 */
record TestEvent(TestEventKind kind, String test, String detail, long millis) {
  enum TestEventKind {
    TEST_STARTED,
    PASSED,
    FAILED,
    SKIPPED,
    CLASS_ENDED
  }

  void write(DataOutputStream out) throws IOException {
    text(out, kind.name());
    text(out, test);
    text(out, detail);
    out.writeLong(millis);
    out.flush();
  }

  static TestEvent read(DataInputStream in) throws IOException {
    TestEventKind kind = TestEventKind.valueOf(text(in));
    return new TestEvent(kind, text(in), text(in), in.readLong());
  }

  static void text(DataOutputStream out, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    out.writeInt(bytes.length);
    out.write(bytes);
  }

  static String text(DataInputStream in) throws IOException {
    return new String(in.readNBytes(in.readInt()), StandardCharsets.UTF_8);
  }
}
