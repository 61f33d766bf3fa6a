package io.convoke.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.gate.MutationPlan.MutatedCode;
import io.convoke.gate.MutationPlan.MutationTarget;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MutationPlanTest {
  @TempDir private Path folder;

  @Test
  void targetsHaveTestsAndSurvivorsReasons() throws IOException {
    MutationPlan plan =
        plan(
            """
            # a comment
            java durable  io.x.Heap   HeapTest OtherTest
            same claim.lua NEVER_TRUE: if #lanes == 0 then
              Nothing follows,
              so nothing differs.
            """);
    assertThat(plan.targets())
        .containsExactly(
            new MutationTarget(
                MutatedCode.JAVA, "durable", "io.x.Heap", List.of("HeapTest", "OtherTest")));
    assertThat(plan.equivalent())
        .isEqualTo(
            Map.of(
                "claim.lua NEVER_TRUE: if #lanes == 0 then",
                "Nothing follows, so nothing differs."));
  }

  @Test
  void whatIsNoPlanIsRefused() {
    assertThatThrownBy(() -> plan("java durable io.x.Heap\n")).hasMessageContaining("tests");
    assertThatThrownBy(() -> plan("sql durable x.sql A\n")).hasMessageContaining("java or lua");
  }

  /** What the plan of this project names exists, so that a renamed class is not left out. */
  @Test
  void whatIsMutatedAndItsTestsExist() throws IOException {
    Path root = Path.of("..").toAbsolutePath().normalize();
    for (MutationTarget target : MutationPlan.read(root.resolve("gate/mutation.txt")).targets()) {
      Path module = root.resolve(target.module());
      Path source =
          switch (target.code()) {
            case JAVA ->
                module.resolve("src/main/java/" + target.name().replace('.', '/') + ".java");
            case LUA -> module.resolve("src/main/resources/" + target.name());
          };
      assertThat(source).exists();
      List<String> tests =
          TestClass.of(root, target.module()).stream().map(TestClass::simpleName).toList();
      assertThat(tests).as(target.name()).containsAll(target.tests());
    }
  }

  private MutationPlan plan(String text) throws IOException {
    return MutationPlan.read(Files.writeString(folder.resolve("plan.txt"), text));
  }
}
