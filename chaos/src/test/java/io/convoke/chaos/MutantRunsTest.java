package io.convoke.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.chaos.mutants.Mutant;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("nightly")
final class MutantRunsTest {
  private static final Mutant MUTANT =
      new Mutant(
          "broken",
          "01-none",
          List.of("OneRule"),
          List.of(7L, 8L),
          new Mutant.MutantOptions(1, 0, false),
          List.of());

  /** A scenario whose runs cannot be carried out. */
  private static final class BrokenScenario implements ChaosScenario {
    @Override
    public String name() {
      return "broken";
    }

    @Override
    public String summary() {
      return "";
    }

    @Override
    public RunReport run(
        long seed, ChaosSettings settings, ChaosEnvironment environment, Consumer<String> output)
        throws IOException {
      throw new IOException("no server became ready");
    }
  }

  @Test
  void aMutantWhoseRunIsNotCarriedOutIsNotFound() throws IOException {
    List<String> lines = new ArrayList<>();
    MutantRuns runs = new MutantRuns(Path.of("."), List.of(new BrokenScenario()), lines::add);
    assertThat(runs.allFound(List.of(MUTANT))).isFalse();
    assertThat(lines)
        .first()
        .asString()
        .startsWith("broken/01-none: NOT CARRIED OUT with seed 7 (no server became ready)");
    assertThat(lines).last().isEqualTo("0 of 1 mutants found");
  }
}
