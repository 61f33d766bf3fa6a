package io.convoke.agent;

import java.util.Optional;

/** What a bot is to say in its meeting. */
public sealed interface SpeakCommand {

  /** Words to turn into speech, with a voice of the bot's synthesizer if one is wanted. */
  record SpeakText(String text, Optional<String> voice) implements SpeakCommand {}

  /** A WAV file with 16 bit PCM, one or two channels and 8,000 to 48,000 Hz. */
  @SuppressWarnings("ArrayRecordComponent") // handed through once, never compared
  record SpeakAudio(byte[] wav) implements SpeakCommand {}
}
