package io.convoke.gate;

import java.time.Duration;
import java.util.List;

/**
 * How a class came out.
 *
 * @param tests one event for each test that passed, failed or was skipped
 * @param cpu of the fork alone, without the processes that tests started
 * @param printed the end of what a class with a failure printed
 */
record ClassResult(
    TestClass test, List<TestEvent> tests, Duration took, Duration cpu, String printed) {
  long count(TestEvent.TestEventKind kind) {
    return tests.stream().filter(it -> it.kind() == kind).count();
  }

  List<TestEvent> of(TestEvent.TestEventKind kind) {
    return tests.stream().filter(it -> it.kind() == kind).toList();
  }
}
