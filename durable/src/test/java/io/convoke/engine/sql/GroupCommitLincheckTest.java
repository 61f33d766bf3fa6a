package io.convoke.engine.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Every caller returns with the result of its own input, once that is durable, and no caller waits
 * for ever for a flush by another. A batch has two callers, so batches and handovers both happen.
 */
@Param(name = "input", gen = IntGen.class, conf = "1:3")
@Tag("nightly")
public class GroupCommitLincheckTest {
  private final Set<Integer> durable = ConcurrentHashMap.newKeySet();
  private final GroupCommit<Integer, String> group = new GroupCommit<>(2, 1, this::commit);

  private List<String> commit(List<Integer> batch) {
    List<String> answers = new ArrayList<>();
    for (int input : batch) {
      answers.add(durable.add(input) ? "first " + input : "again " + input);
    }
    return answers;
  }

  @Operation
  public String submit(@Param(name = "input") int input) {
    String answer = group.submit(input);
    return durable.contains(input) ? answer : "lost " + input;
  }

  @Operation
  public boolean isDurable(@Param(name = "input") int input) {
    return durable.contains(input);
  }

  @Test
  void everyCallerComesBackWithItsOwn() {
    new ModelCheckingOptions()
        .iterations(5)
        .invocationsPerIteration(80)
        .threads(3)
        .actorsPerThread(2)
        .actorsBefore(1)
        .actorsAfter(1)
        .check(GroupCommitLincheckTest.class);
  }
}
