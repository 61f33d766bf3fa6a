package io.convoke.simulator.script;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Turns a meeting into the steps that act it out. */
final class ScriptStepPlanner {

  private ScriptStepPlanner() {}

  /** All steps in order of time; steps of the same time keep the script's order. */
  static List<ScriptStep> of(ScriptedMeeting scriptedMeeting) {
    List<ScriptStep> steps = new ArrayList<>();
    for (ScriptedMeeting.ScriptedPerson scriptedPerson : scriptedMeeting.people()) {
      int visit = 0;
      for (ScriptedMeeting.ScriptedVisit span : scriptedPerson.visits()) {
        steps.add(
            new ScriptStep.JoinMeeting(
                span.join(), scriptedPerson.key(), visit, scriptedPerson.visitor()));
        steps.add(new ScriptStep.LeaveMeeting(span.leave(), scriptedPerson.key(), visit));
        visit++;
      }
    }
    for (ScriptedMeeting.ScriptedRecording scriptedRecording : scriptedMeeting.tapes()) {
      steps.add(new ScriptStep.StartRecording(scriptedRecording.from(), scriptedRecording));
      steps.add(new ScriptStep.StopRecording(scriptedRecording.until()));
    }
    scriptedMeeting
        .lines()
        .forEach(l -> steps.add(new ScriptStep.SayLine(l.at(), l.who(), l.text())));
    if (scriptedMeeting.hostEnds()) {
      steps.add(new ScriptStep.EndMeeting(scriptedMeeting.lasts()));
    }
    steps.sort(Comparator.comparing(ScriptStep::at));
    return steps;
  }
}
