package io.convoke.lab.sim.script;

import io.convoke.lab.sim.world.Visitor;
import java.time.Duration;

/** One thing to do at one moment of a meeting's script. */
sealed interface Step {

  /** From the meeting's start. */
  Duration at();

  /** A participant joins. @param visit ordinal of this person's visit */
  record Join(Duration at, String key, int visit, Visitor visitor) implements Step {}

  record Leave(Duration at, String key, int visit) implements Step {}

  record Say(Duration at, String key, String text) implements Step {}

  record StartTape(Duration at, Gathering.Tape tape) implements Step {}

  record StopTape(Duration at) implements Step {}

  record End(Duration at) implements Step {}
}
