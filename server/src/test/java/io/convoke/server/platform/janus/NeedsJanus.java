package io.convoke.server.platform.janus;

import io.convoke.fakes.janus.InstalledJanus;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.Optional;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Runs where a real Janus is installed, and says loudly where it is not. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(NeedsJanus.Condition.class)
public @interface NeedsJanus {

  /** Checks the machine. */
  final class Condition implements ExecutionCondition {
    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
      Optional<String> obstacle = InstalledJanus.obstacle();
      if (obstacle.isEmpty()) {
        return ConditionEvaluationResult.enabled("a Janus is installed");
      }
      System.err.printf(
          "%n*** SKIPPED: %s needs a real Janus, and there is none: %s ***%n%n",
          context.getDisplayName(), obstacle.get());
      return ConditionEvaluationResult.disabled(obstacle.get());
    }
  }
}
