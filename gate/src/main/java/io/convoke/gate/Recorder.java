package io.convoke.gate;

import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/** Turns what JUnit reports into events: one for each test, also for those that never began. */
final class Recorder implements TestExecutionListener {
  private final DataOutputStream out;
  private final Map<String, Long> begun = new HashMap<>();
  private final Set<String> reported = new HashSet<>();
  private Optional<TestPlan> plan = Optional.empty();

  Recorder(DataOutputStream out) {
    this.out = out;
  }

  @Override
  public void testPlanExecutionStarted(TestPlan started) {
    plan = Optional.of(started);
  }

  @Override
  public synchronized void executionStarted(TestIdentifier test) {
    begun.put(test.getUniqueId(), System.nanoTime());
    if (test.isTest()) {
      send(TestEvent.TestEventKind.TEST_STARTED, test, "");
    }
  }

  @Override
  public synchronized void executionSkipped(TestIdentifier test, String reason) {
    skip(test, reason);
  }

  @Override
  public synchronized void executionFinished(TestIdentifier test, TestExecutionResult result) {
    String detail = result.getThrowable().map(Fork::trace).orElse("");
    switch (result.getStatus()) {
      case SUCCESSFUL -> {
        if (test.isTest()) {
          send(TestEvent.TestEventKind.PASSED, test, "");
        }
      }
      case FAILED -> send(TestEvent.TestEventKind.FAILED, test, detail);
      case ABORTED -> skip(test, result.getThrowable().map(Throwable::getMessage).orElse(""));
    }
  }

  /** A class or a parameterised test that does not begin is as many skipped tests as are known. */
  private void skip(TestIdentifier test, String reason) {
    Set<TestIdentifier> inside = test.isTest() ? Set.of() : plan.orElseThrow().getChildren(test);
    inside.forEach(child -> skip(child, reason));
    if (inside.isEmpty() && reported.add(test.getUniqueId())) {
      send(TestEvent.TestEventKind.SKIPPED, test, reason);
    }
  }

  private void send(TestEvent.TestEventKind kind, TestIdentifier test, String detail) {
    if (kind != TestEvent.TestEventKind.TEST_STARTED) {
      reported.add(test.getUniqueId());
    }
    long since = System.nanoTime() - begun.getOrDefault(test.getUniqueId(), System.nanoTime());
    try {
      new TestEvent(kind, name(test), detail, since / 1_000_000).write(out);
    } catch (IOException e) {
      throw new UncheckedIOException("lost the connection to the scheduler", e);
    }
  }

  /**
   * Such as {@code BrowserSessionTest$Expired#aSecondTry}, with the arguments of a parameterised
   * test.
   */
  private static String name(TestIdentifier test) {
    if (test.getSource().orElse(null) instanceof MethodSource method) {
      String type = method.getClassName().substring(method.getClassName().lastIndexOf('.') + 1);
      String name = type + '#' + method.getMethodName();
      String shown = test.getDisplayName();
      return shown.startsWith(method.getMethodName() + '(') ? name : name + ' ' + shown;
    }
    return test.getDisplayName();
  }
}
