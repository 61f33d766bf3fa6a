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
 * A real transcriber: Debian's {@code pocketsphinx}, told which sentences are commonly said, as one
 * tells any recogniser the vocabulary of a company. What is said when, and whether at all, it hears
 * from the sound alone.
 *
 * @param grammar the sentences, each of which may follow each
 * @param lexicon how their words are spoken
 */
public record PocketsphinxTranscriber(Path grammar, Path lexicon) {
  private static final String PROGRAM = "pocketsphinx_continuous";
  private static final String SYNTHESISER = "espeak-ng";

  /** Beams wider than its own, which lose one in seven of the sentences that these hear. */
  private static final String PATIENT = "-beam 1e-80 -pbeam 1e-80 -wbeam 1e-60 -wip 0.2";

  /** What it needs, and what makes the sound of the simulator's recordings. */
  public static final List<String> PACKAGES =
      List.of(SYNTHESISER, "pocketsphinx", "pocketsphinx-en-us");

  /** How Debian's package spells the sounds of a hundred thousand English words. */
  private static final Path WORDS =
      Path.of("/usr/share/pocketsphinx/model/en-us/cmudict-en-us.dict");

  /** Names that the simulator's people say and that no dictionary of English has. */
  private static final List<String> NAMES =
      List.of(
          "favourites F EY V ER IH T S",
          "malmo M AA L M OW",
          "northwind N AO R TH W IH N D",
          "priya P R IY AH",
          "yuki Y UW K IY");

  /** Whether this machine has what it needs. */
  public static boolean isHere() {
    return Stream.of(SYNTHESISER, PROGRAM)
            .allMatch(name -> DebianPackages.onPath(name).findAny().isPresent())
        && Files.isReadable(WORDS);
  }

  /**
   * Installs what it needs, if that is allowed here; true once it is there. To be called before the
   * simulator makes its first sound, or that is hummed and not spoken.
   */
  public static boolean install() {
    return DebianPackages.ensure(PocketsphinxTranscriber::isHere, PACKAGES.toArray(String[]::new));
  }

  /**
   * Writes down what it shall listen for. Sentences of a single word are left out: any noise sounds
   * like one of them.
   *
   * @param folder where its files may lie
   * @param lines what people say, several sentences each if need be
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

  /** What {@code CONVOKE_TRANSCRIBER} is set to. */
  public String setting() {
    return "command:%s -logfn /dev/null -dict %s -jsgf %s %s -infile {audio}"
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
