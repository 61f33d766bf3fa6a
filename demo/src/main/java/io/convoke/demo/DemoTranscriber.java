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
   * Finds or installs a real transcriber; without one, replays the script and prints a warning.
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
        *** NO TRANSCRIBER: none is installed on this machine and apt-get could not install one (it
        *** needs root). Transcripts are copied from the simulator's script.
        *** For real transcripts: install %s, or use --transcriber.
        """
            .formatted(String.join(", ", PocketsphinxTranscriber.PACKAGES)));
    ScriptTranscriber reader = new ScriptTranscriber(folder.resolve("script"));
    return new DemoTranscriber(
        reader.setting(), "none (read from the script)", Optional.of(reader));
  }
}
