package io.convoke.agent;

import java.util.List;

/** What the control plane answered to a callback. */
public sealed interface Reply {
  /** Accepted, with the current status and open commands. */
  record Heard(String status, List<Command> commands) implements Reply {}

  /** Not possible in the present state, or malformed; saying it again would not help. */
  record Refused(int httpStatus) implements Reply {}

  /** This launch is over for the control plane: the bot must leave and report nothing more. */
  record Over() implements Reply {}

  /** No answer within the patience. */
  record Silent() implements Reply {}
}
