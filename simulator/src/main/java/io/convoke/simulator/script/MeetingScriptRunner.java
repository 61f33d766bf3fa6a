package io.convoke.simulator.script;

import io.convoke.simulator.state.JoinResult;
import io.convoke.simulator.state.LeaveReason;
import io.convoke.simulator.state.RecordingRequest;
import io.convoke.simulator.state.SimulationState;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Acts out one meeting: remembers which connection belongs to whose visit. One thread at a time.
 */
final class MeetingScriptRunner {

  private record VisitKey(String person, int visit) {}

  private final SimulationState simulationState;
  private final String room;
  private final Map<VisitKey, String> connected = new LinkedHashMap<>();

  MeetingScriptRunner(SimulationState simulationState, String room) {
    this.simulationState = simulationState;
    this.room = room;
  }

  void perform(ScriptStep scriptStep) {
    switch (scriptStep) {
      case ScriptStep.JoinMeeting joinMeeting -> {
        if (simulationState.welcome(room, joinMeeting.visitor())
            instanceof JoinResult.JoinedMeeting joinedMeeting) {
          connected.put(
              new VisitKey(joinMeeting.key(), joinMeeting.visit()),
              joinedMeeting.session().sessionId());
        }
      }
      case ScriptStep.LeaveMeeting leaveMeeting -> {
        @Nullable String sessionId =
            connected.remove(new VisitKey(leaveMeeting.key(), leaveMeeting.visit()));
        if (sessionId != null) {
          simulationState.leave(room, sessionId, LeaveReason.LEFT);
        }
      }
      case ScriptStep.SayLine sayLine ->
          connected.entrySet().stream()
              .filter(entry -> entry.getKey().person().equals(sayLine.key()))
              .findFirst()
              .ifPresent(entry -> simulationState.say(room, entry.getValue(), sayLine.text()));
      case ScriptStep.StartRecording start ->
          simulationState.startRecording(
              RecordingRequest.cloud(room)
                  .ofType(start.tape().type())
                  .endingWith(start.tape().outcome()));
      case ScriptStep.StopRecording stop -> simulationState.stopRecording(room, Optional.empty());
      case ScriptStep.EndMeeting end -> {
        simulationState.endMeeting(room);
        connected.clear();
      }
    }
  }
}
