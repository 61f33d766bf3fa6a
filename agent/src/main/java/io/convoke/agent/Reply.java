package io.convoke.agent;

import java.util.List;

/** What the control plane answered to a callback. */
public sealed interface Reply {
  /** Heard; here is the status now and what the bot is asked to do. */
  record Heard(String status, List<Command> commands) implements Reply {}

  /** Not possible in the present state, or malformed; saying it again would not help. */
  record Refused(int httpStatus) implements Reply {}

  /** This launch is over for the control plane: the bot must leave and report nothing more. */
  record Over() implements Reply {}

  /** Nobody answered for as long as we were willing to try. */
  record Silent() implements Reply {}
}
