package io.convoke.agent.meeting;

import io.convoke.agent.CommandRefusedException;
import io.convoke.agent.SpeakCommand;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.Optional;

/** What a bot says in a meeting. */
final class MeetingTalk implements AutoCloseable {
  private final MeetingAudio meeting;
  private final Synthesizer synthesizer;
  private final VoicePlayer player = new VoicePlayer();

  MeetingTalk(MeetingAudio meeting, Synthesizer synthesizer) {
    this.meeting = meeting;
    this.synthesizer = synthesizer;
  }

  /**
   * Says something after what waits already.
   *
   * @param language in which words are spoken that come without a voice, if there is such a voice
   * @throws CommandRefusedException with the reason if it cannot
   */
  void speak(SpeakCommand what, Optional<String> language) throws Exception {
    PlayedSound sound =
        switch (what) {
          case SpeakCommand.SpeakText(String text, Optional<String> voice) ->
              voice.isPresent() ? synthesizer.speak(text, voice) : spoken(text, language);
          case SpeakCommand.SpeakAudio(byte[] wav) -> file(wav);
        };
    boolean taken = false;
    try {
      player.add(sound, meeting.voice());
      taken = true;
    } finally {
      if (!taken) {
        sound.close();
      }
    }
  }

  private PlayedSound spoken(String text, Optional<String> language)
      throws CommandRefusedException {
    if (language.isPresent()) {
      try {
        return synthesizer.speak(text, language);
      } catch (CommandRefusedException unknown) {
        return synthesizer.speak(text, Optional.empty());
      }
    }
    return synthesizer.speak(text, Optional.empty());
  }

  private static PlayedSound file(byte[] wav) throws CommandRefusedException {
    try {
      return PlayedSound.open(new ByteArrayInputStream(wav));
    } catch (IOException unknown) {
      throw new CommandRefusedException("the sound is no WAV file with 16 bit PCM");
    }
  }

  @Override
  public void close() {
    player.close();
  }
}
