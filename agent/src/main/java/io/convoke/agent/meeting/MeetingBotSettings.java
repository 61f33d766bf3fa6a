package io.convoke.agent.meeting;

import java.util.Map;
import java.util.Optional;

/**
 * What a bot does with what it hears.
 *
 * @param transcriber the command of a speaker's transcriber: it reads raw sound of 16 kHz, 16 bits
 *     and one channel, and writes a line for each utterance, or a draft of it behind {@code ~}
 */
public record MeetingBotSettings(Optional<String> transcriber) {

  /**
   * Reads {@code PREFIX_TRANSCRIBER} of an environment.
   *
   * @param prefix {@code JANUS_BOT} for example
   */
  public static MeetingBotSettings of(String prefix, Map<String, String> environment) {
    return new MeetingBotSettings(
        Optional.ofNullable(environment.get(prefix + "_TRANSCRIBER"))
            .filter(command -> !command.isBlank()));
  }
}
