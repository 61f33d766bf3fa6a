package io.convoke.agent;

import java.util.List;

/** What a {@link Bot} is given: its configuration, and a way to report what it hears. */
public interface Session {
  /** What the bot was told at its start. */
  BotConfig config();

  /** Reports what was said; it is sent in the background, in order. */
  void transcript(List<Segment> segments);

  /** Reports who came, who went or who is there; it is sent in the background, in order. */
  void saw(Sighting sighting);

  /** Whether the bot has been asked to go. */
  boolean leaving();
}
