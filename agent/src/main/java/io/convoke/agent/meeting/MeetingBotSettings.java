package io.convoke.agent.meeting;

import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What a bot does with what it hears.
 *
 * @param transcriber the command of a speaker's transcriber: it reads raw sound of 16 kHz, 16 bits
 *     and one channel, and writes a line for each utterance, or a draft of it behind {@code ~}
 * @param records whether it records, also where its configuration does not say so
 */
public record MeetingBotSettings(Optional<String> transcriber, boolean records) {

  /**
   * Reads {@code PREFIX_TRANSCRIBER} and {@code PREFIX_RECORD} (1 or true) of an environment.
   *
   * @param prefix {@code JANUS_BOT} for example
   */
  public static MeetingBotSettings of(String prefix, Map<String, String> environment) {
    return new MeetingBotSettings(
        Optional.ofNullable(environment.get(prefix + "_TRANSCRIBER"))
            .filter(command -> !command.isBlank()),
        Set.of("1", "true").contains(environment.getOrDefault(prefix + "_RECORD", "")));
  }
}
