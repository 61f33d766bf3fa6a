package io.convoke.simulator.state;

import java.time.Instant;

/** An event on the platform. Events are delivered in the order in which they happened. */
public sealed interface SimulationEvent {

  String room();

  Instant at();

  /** A name for the event that is the same in every run of the same script. */
  String label();

  record MeetingStarted(Meeting meeting) implements SimulationEvent {
    @Override
    public String room() {
      return meeting.room();
    }

    @Override
    public Instant at() {
      return meeting.startedAt();
    }

    @Override
    public String label() {
      return meeting.label();
    }
  }

  /** Comes after the reconnect allowance; {@code at} is when it was noticed. */
  record MeetingEnded(Meeting meeting, Instant at) implements SimulationEvent {
    @Override
    public String room() {
      return meeting.room();
    }

    @Override
    public String label() {
      return meeting.label();
    }
  }

  record ParticipantJoined(RoomSession session) implements SimulationEvent {
    @Override
    public String room() {
      return session.room();
    }

    @Override
    public Instant at() {
      return session.joinedAt();
    }

    @Override
    public String label() {
      return session.label();
    }
  }

  record ParticipantLeft(RoomSession session, Instant at) implements SimulationEvent {
    @Override
    public String room() {
      return session.room();
    }

    @Override
    public String label() {
      return session.label();
    }
  }

  /** A visitor entered the lobby. */
  record LobbyEntered(String room, String label, String sessionId, Visitor visitor, Instant at)
      implements SimulationEvent {}

  /** A visitor left the lobby, in which it had been since then. */
  record LobbyLeft(
      String room,
      String label,
      String sessionId,
      Visitor visitor,
      boolean admitted,
      Instant since,
      Instant at)
      implements SimulationEvent {}

  record LineSpoken(RoomSession session, String text, Instant at) implements SimulationEvent {
    @Override
    public String room() {
      return session.room();
    }

    @Override
    public String label() {
      return session.label();
    }
  }

  record RecordingStarted(Recording recording) implements SimulationEvent {
    @Override
    public String room() {
      return recording.room();
    }

    @Override
    public Instant at() {
      return recording.startedAt();
    }

    @Override
    public String label() {
      return recording.label();
    }
  }

  /**
   * The platform could not record, or meets an error and goes on. It names the instance, which most
   * recordings share, and not the recording, which there may never have been.
   */
  record RecordingFailed(String room, String label, String instanceId, Instant at)
      implements SimulationEvent {}

  /** The recording is over and its file is ready, was cancelled or was lost. */
  record RecordingSettled(Recording recording, Instant at) implements SimulationEvent {
    @Override
    public String room() {
      return recording.room();
    }

    @Override
    public String label() {
      return recording.label();
    }
  }
}
