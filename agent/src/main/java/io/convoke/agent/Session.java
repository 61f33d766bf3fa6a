package io.convoke.agent;

import java.util.List;

/** The context of a {@link Bot}: its configuration, and its reports. */
public interface Session {
  /** The bot's configuration. */
  BotConfig config();

  /** Reports transcript segments; they are sent in the background, in order. */
  void transcript(List<Segment> segments);

  /** Reports participants; sent in the background, in order. */
  void saw(Sighting sighting);

  /** Whether the bot has been asked to leave. */
  boolean leaving();
}
