package io.convoke.agent;

import java.util.List;

/** What the control plane answered to a callback. */
public sealed interface CallbackReply {
  /** Accepted, with the current status and open commands. */
  record CallbackAccepted(String status, List<BotCommand> commands) implements CallbackReply {}

  /** Refused in the present state, or malformed; a retry would not help. */
  record CallbackRefused(int httpStatus) implements CallbackReply {}

  /** This launch is over for the control plane: the bot must leave and report nothing more. */
  record LaunchOver() implements CallbackReply {}

  /** No answer within the patience. */
  record NoReply() implements CallbackReply {}
}
