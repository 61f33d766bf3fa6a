package io.convoke.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.convoke.gate.LuaMutant.LuaMutation;
import java.util.List;
import org.junit.jupiter.api.Test;

class LuaMutantTest {
  @Test
  void callsWhoseResultIsNotUsedAreLeftOut() {
    String script =
        """
        redis.call('DEL', key('a)'))
        local n = redis.call('INCR', 'n')
        redis.call('SET', 'n',
          n)
        """;
    assertThat(LuaMutant.of(script))
        .containsExactly(
            new LuaMutant(
                LuaMutation.CALL_LEFT_OUT,
                1,
                "redis.call('DEL', key('a)'))",
                "do end\n" + script.substring(script.indexOf('\n') + 1)));
  }

  @Test
  void eachComparisonIsChangedButNoneInTextsAndComments() {
    assertThat(changed("return a <= b and c ~= '<' -- d < e"))
        .containsExactly(
            "return a < b and c ~= '<' -- d < e", "return a <= b and c == '<' -- d < e");
    assertThat(changed("local x = a == \"it's > \\\" b\""))
        .containsExactly("local x = a ~= \"it's > \\\" b\"");
    assertThat(changed("return a > b, c < d, e >= f"))
        .containsExactly(
            "return a >= b, c < d, e >= f",
            "return a > b, c <= d, e >= f",
            "return a > b, c < d, e > f");
    assertThat(changed("x = y")).isEmpty();
  }

  @Test
  void aConditionAlwaysAndNeverHolds() {
    String script = "  elseif held and not(mine) then return 1 end";
    assertThat(LuaMutant.of(script))
        .extracting(LuaMutant::mutation, LuaMutant::script)
        .containsExactly(
            tuple(LuaMutation.ALWAYS_TRUE, "  elseif true then return 1 end\n"),
            tuple(LuaMutation.NEVER_TRUE, "  elseif false then return 1 end\n"));
    assertThat(LuaMutant.of("-- if it is so then it is")).isEmpty();
  }

  private static List<String> changed(String line) {
    return LuaMutant.of(line).stream()
        .filter(it -> it.mutation() == LuaMutation.COMPARISON_CHANGED)
        .map(it -> it.script().strip())
        .toList();
  }
}
