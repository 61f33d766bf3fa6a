package io.convoke.lab.chaos.bots.verdict;

import io.convoke.lab.chaos.history.Finding;
import java.util.List;

/** One thing that must hold for the bots of every run. */
interface BotRule {
  List<Finding> check(BotHistory history);
}
