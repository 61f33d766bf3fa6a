package io.convoke.server.launch.process;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Runs tests only where bots can have users of their own, and reports the reason otherwise. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(NeedsRoot.Condition.class)
@interface NeedsRoot {

  /** Checks the process and the machine. */
  final class Condition implements ExecutionCondition {
    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
      if (BotUsers.possible()) {
        return ConditionEvaluationResult.enabled("root, with setpriv");
      }
      System.err.printf("%n*** SKIPPED: %s needs root ***%n%n", context.getDisplayName());
      return ConditionEvaluationResult.disabled("not root, or no setpriv");
    }
  }
}
