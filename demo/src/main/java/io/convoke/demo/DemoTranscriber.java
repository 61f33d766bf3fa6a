package io.convoke.demo;

import io.convoke.fakes.transcribe.PocketsphinxTranscriber;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Optional;

/**
 * The transcriber of the demo.
 *
 * @param setting of {@code CONVOKE_TRANSCRIBER}
 * @param name to display
 * @param script replays the script, where no transcriber is installed
 */
record DemoTranscriber(String setting, String name, Optional<ScriptTranscriber> script) {

  /**
   * A real transcriber, installed if it may be; where there is none, the script is read, and that
   * is said loudly.
   *
   * @param own another transcriber, as in {@code CONVOKE_TRANSCRIBER}
   * @param lines all scripted lines
   */
  static DemoTranscriber open(Optional<String> own, Collection<String> lines, Path folder) {
    if (own.isPresent()) {
      String setting = own.get();
      int colon = setting.indexOf(':');
      return new DemoTranscriber(
          setting, colon < 0 ? setting : setting.substring(0, colon), Optional.empty());
    }
    if (PocketsphinxTranscriber.install()) {
      return new DemoTranscriber(
          PocketsphinxTranscriber.listeningFor(lines, folder).setting(),
          "pocketsphinx",
          Optional.empty());
    }
    System.err.println(
        """
        *** NOBODY LISTENS IN THIS DEMO: there is no transcriber on this machine, and it could not be
        *** installed (apt-get as root). The words of transcripts are read from the simulator's script.
        *** To hear them really: install %s, or give --transcriber.
        """
            .formatted(String.join(", ", PocketsphinxTranscriber.PACKAGES)));
    ScriptTranscriber reader = new ScriptTranscriber(folder.resolve("script"));
    return new DemoTranscriber(
        reader.setting(), "none (read from the script)", Optional.of(reader));
  }
}
