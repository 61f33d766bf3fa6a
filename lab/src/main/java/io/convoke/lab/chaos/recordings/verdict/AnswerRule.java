package io.convoke.lab.chaos.recordings.verdict;

import io.convoke.lab.chaos.history.Finding;
import io.convoke.lab.chaos.history.Finding.Kind;
import java.util.ArrayList;
import java.util.List;

/**
 * An authentic webhook is answered 200, and 503 only while both stores are away, which is never
 * here. People may be told that they are late (409), that what they claim is somebody else's by now
 * (404), or that a store is away.
 */
final class AnswerRule implements RecordingRule {
  @Override
  public List<Finding> check(RecordingHistory history) {
    List<Finding> findings = new ArrayList<>();
    for (Answer answer : history.webhooks()) {
      if (answer.status() != 200 && answer.status() != 0) {
        findings.add(new Finding(Kind.REFUSED, "a webhook: " + answer));
      }
    }
    for (Answer answer : history.requests()) {
      boolean right =
          switch (answer.status()) {
            case 0, 200, 202, 409, 503 -> true;
            case 404 -> answer.what().endsWith("/match");
            default -> false;
          };
      if (!right) {
        findings.add(new Finding(Kind.REFUSED, "a request: " + answer));
      }
    }
    return findings;
  }
}
