package io.convoke.chaos.recordings.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import io.convoke.chaos.recordings.rules.DeletedRecordingRule.DeletedRecording;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Each thing that may be left of a deleted recording. */
final class DeletedRecordingRuleTest {
  @Test
  void whatIsLeftOfADeletedRecordingIsFound() {
    List<String> none = List.of();
    assertThat(check(204, 404, false, none, false)).isEmpty();
    assertThat(check(204, 200, false, none, false)).containsExactly(ViolationKind.REFUSED);
    assertThat(check(503, 404, false, none, false)).containsExactly(ViolationKind.REFUSED);
    assertThat(check(204, 404, true, List.of("room@1 line 1"), false))
        .containsExactly(ViolationKind.OPEN, ViolationKind.OPEN);
    assertThat(check(204, 404, false, none, true)).containsExactly(ViolationKind.INVENTED);
  }

  private static List<ViolationKind> check(
      int answered, int read, boolean audio, List<String> lines, boolean noted) {
    return new DeletedRecordingRule()
        .check(List.of(new DeletedRecording("r1", answered, read, audio, lines, noted))).stream()
            .map(RuleViolation::kind)
            .toList();
  }
}
