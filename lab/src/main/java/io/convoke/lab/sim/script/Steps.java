package io.convoke.lab.sim.script;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Turns a meeting into the steps that act it out. */
final class Steps {

  private Steps() {}

  /**
   * All steps in the order in which they are taken; steps of one moment keep the script's order.
   */
  static List<Step> of(Gathering gathering) {
    List<Step> steps = new ArrayList<>();
    for (Gathering.Person person : gathering.people()) {
      int visit = 0;
      for (Gathering.Visit span : person.visits()) {
        steps.add(new Step.Join(span.join(), person.key(), visit, person.visitor()));
        steps.add(new Step.Leave(span.leave(), person.key(), visit));
        visit++;
      }
    }
    for (Gathering.Tape tape : gathering.tapes()) {
      steps.add(new Step.StartTape(tape.from(), tape));
      steps.add(new Step.StopTape(tape.until()));
    }
    gathering.lines().forEach(l -> steps.add(new Step.Say(l.at(), l.who(), l.text())));
    if (gathering.hostEnds()) {
      steps.add(new Step.End(gathering.lasts()));
    }
    steps.sort(Comparator.comparing(Step::at));
    return steps;
  }
}
