package io.convoke.server.launch.docker;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.Optional;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Runs tests only where a Docker engine can be started, and reports the reason otherwise. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(NeedsDocker.Condition.class)
public @interface NeedsDocker {

  /** Checks the machine. */
  final class Condition implements ExecutionCondition {
    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
      Optional<String> obstacle = TestDockerEngine.obstacle();
      if (obstacle.isEmpty()) {
        return ConditionEvaluationResult.enabled("dockerd can be started");
      }
      System.err.printf(
          "%n*** SKIPPED: %s needs a real Docker engine, and there is none: %s ***%n%n",
          context.getDisplayName(), obstacle.get());
      return ConditionEvaluationResult.disabled(obstacle.get());
    }
  }
}
