package io.convoke.lab.chaos.recordings.verdict;

import io.convoke.lab.chaos.history.Finding;
import java.util.List;

/** One thing that must hold for every history. */
interface RecordingRule {
  List<Finding> check(RecordingHistory history);
}
