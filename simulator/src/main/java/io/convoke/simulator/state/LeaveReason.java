package io.convoke.simulator.state;

/** Why a connection ended. */
public enum LeaveReason {
  /** The person left. */
  LEFT,
  /** The connection broke and was not restored in time. */
  DISCONNECTED,
  /** A host removed the person. */
  EJECTED,
  /** A host ended the meeting for all. */
  MEETING_ENDED
}
