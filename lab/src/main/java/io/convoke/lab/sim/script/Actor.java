package io.convoke.lab.sim.script;

import io.convoke.lab.sim.world.JoinResult;
import io.convoke.lab.sim.world.LeaveReason;
import io.convoke.lab.sim.world.RecordingRequest;
import io.convoke.lab.sim.world.World;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Acts out one meeting: remembers which connection belongs to whose visit. One thread at a time.
 */
final class Actor {

  private record Key(String person, int visit) {}

  private final World world;
  private final String room;
  private final Map<Key, String> connected = new LinkedHashMap<>();

  Actor(World world, String room) {
    this.world = world;
    this.room = room;
  }

  void take(Step step) {
    switch (step) {
      case Step.Join join -> {
        if (world.welcome(room, join.visitor()) instanceof JoinResult.Joined joined) {
          connected.put(new Key(join.key(), join.visit()), joined.session().sessionId());
        }
      }
      case Step.Leave leave -> {
        @Nullable String sessionId = connected.remove(new Key(leave.key(), leave.visit()));
        if (sessionId != null) {
          world.leave(room, sessionId, LeaveReason.LEFT);
        }
      }
      case Step.Say say ->
          connected.entrySet().stream()
              .filter(entry -> entry.getKey().person().equals(say.key()))
              .findFirst()
              .ifPresent(entry -> world.say(room, entry.getValue(), say.text()));
      case Step.StartTape start ->
          world.startRecording(
              RecordingRequest.cloud(room)
                  .ofType(start.tape().type())
                  .endingWith(start.tape().outcome()));
      case Step.StopTape stop -> world.stopRecording(room, Optional.empty());
      case Step.End end -> {
        world.endMeeting(room);
        connected.clear();
      }
    }
  }
}
