package io.convoke.fakes.transcribe;

import io.convoke.simulator.process.DebianPackages;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A real transcriber: Debian's {@code pocketsphinx} with a grammar of common sentences, as a
 * recogniser is configured with the vocabulary of a company. What is spoken when comes from the
 * audio alone.
 *
 * @param grammar the sentences, in any order
 * @param lexicon the pronunciation of their words
 */
public record PocketsphinxTranscriber(Path grammar, Path lexicon) {
  private static final String PROGRAM = "pocketsphinx_continuous";
  private static final String SYNTHESISER = "espeak-ng";

  /**
   * Beams wider than the defaults, which miss one in seven of the sentences that these recognise,
   * and often write nothing at all for two sentences with a short pause between them.
   */
  private static final String PATIENT = "-beam 1e-80 -pbeam 1e-80 -wbeam 1e-60 -wip 0.2";

  /** Packages of the recogniser and of the speech synthesis for the simulator's recordings. */
  public static final List<String> PACKAGES =
      List.of(SYNTHESISER, "pocketsphinx", "pocketsphinx-en-us");

  /** Pronunciations of 100,000 English words in Debian's package. */
  private static final Path WORDS =
      Path.of("/usr/share/pocketsphinx/model/en-us/cmudict-en-us.dict");

  /** Names in the simulator's scripts that no English dictionary has. */
  private static final List<String> NAMES =
      List.of(
          "favourites F EY V ER IH T S",
          "malmo M AA L M OW",
          "northwind N AO R TH W IH N D",
          "priya P R IY AH",
          "yuki Y UW K IY");

  /** Whether the packages are installed. */
  public static boolean isHere() {
    return Stream.of(SYNTHESISER, PROGRAM)
            .allMatch(name -> DebianPackages.onPath(name).findAny().isPresent())
        && Files.isReadable(WORDS);
  }

  /**
   * Installs the packages if allowed; returns whether they are installed. Call it before the
   * simulator makes its first audio, or that audio is a hum and not speech.
   */
  public static boolean install() {
    return DebianPackages.ensure(PocketsphinxTranscriber::isHere, PACKAGES.toArray(String[]::new));
  }

  /**
   * Writes the grammar and the lexicon. It leaves out sentences of a single word, because any noise
   * sounds like one.
   *
   * @param folder for the files
   * @param lines of the speakers, with several sentences each if need be
   * @throws IllegalArgumentException for a word that is not in the dictionary
   */
  public static PocketsphinxTranscriber listeningFor(Collection<String> lines, Path folder) {
    List<String> sentences =
        lines.stream()
            .flatMap(line -> sentences(line).stream())
            .filter(sentence -> sentence.contains(" "))
            .distinct()
            .sorted()
            .toList();
    Set<String> words =
        sentences.stream()
            .flatMap(sentence -> Arrays.stream(sentence.split(" ", -1)))
            .collect(Collectors.toCollection(TreeSet::new));
    try {
      Path lexicon = folder.resolve("talk.dict");
      Path grammar = folder.resolve("talk.gram");
      Files.write(lexicon, spoken(words));
      Files.writeString(
          grammar,
          "#JSGF V1.0;\ngrammar talk;\npublic <talk> = <sentence>+;\n<sentence> =\n    "
              + String.join("\n  | ", sentences)
              + ";\n");
      return new PocketsphinxTranscriber(grammar, lexicon);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write what to listen for to " + folder, e);
    }
  }

  /** The value of {@code CONVOKE_TRANSCRIBER}. */
  public String setting() {
    return "command:%s -logfn /dev/null -dict %s -jsgf %s %s -infile {audio}"
        .formatted(PROGRAM, quoted(lexicon), quoted(grammar), PATIENT);
  }

  /**
   * A command of a shell that listens to one speaker: it reads raw sound of 16 kHz, 16 bits and one
   * channel, and writes a line as soon as it has heard one.
   */
  public String live() {
    return "stdbuf -oL %s -logfn /dev/null -dict %s -jsgf %s %s -infile /dev/stdin"
        .formatted(PROGRAM, quoted(lexicon), quoted(grammar), PATIENT);
  }

  private static String quoted(Path file) {
    return "'" + file.toAbsolutePath().toString().replace("'", "'\\''") + "'";
  }

  /** The sentences of a line as a recogniser writes them: lower case, words alone. */
  public static List<String> sentences(String line) {
    return Arrays.stream(line.toLowerCase(Locale.ROOT).split("[.?!:]", -1))
        .map(sentence -> sentence.replaceAll("[^a-z']+", " ").strip())
        .filter(sentence -> !sentence.isEmpty())
        .toList();
  }

  /** The lines of the dictionary for these words; some words are spoken in several ways. */
  private static List<String> spoken(Set<String> words) throws IOException {
    try (Stream<String> all = Files.lines(WORDS, StandardCharsets.UTF_8)) {
      List<String> found =
          Stream.concat(all, NAMES.stream()).filter(line -> words.contains(word(line))).toList();
      Set<String> known =
          found.stream().map(PocketsphinxTranscriber::word).collect(Collectors.toSet());
      Optional<String> strange = words.stream().filter(word -> !known.contains(word)).findFirst();
      if (strange.isPresent()) {
        throw new IllegalArgumentException(
            "not in the dictionary: '" + strange.get() + "' is spoken");
      }
      return found;
    }
  }

  /** {@code read(2)} is the second way to speak {@code read}. */
  private static String word(String line) {
    String first = line.substring(0, Math.max(0, line.indexOf(' ')));
    int bracket = first.indexOf('(');
    return bracket > 0 ? first.substring(0, bracket) : first;
  }
}
