package io.convoke.chaos.mutants;

import io.convoke.chaos.mutants.Mutant.MutantOptions;
import io.convoke.chaos.mutants.Mutant.SourceEdit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The mutants of a scenario as a text file:
 *
 * <pre>
 * # 01-name
 * rules: OneRule OtherRule
 * seeds: 1 2
 * options: seconds=8 servers=2 redis
 * file: server/src/main/java/...
 * &lt;&lt;&lt;&lt;
 * old text
 * ====
 * new text
 * &gt;&gt;&gt;&gt;
 * </pre>
 *
 * Seeds and options may be left out; a file may have several edits, and a mutant several files.
 */
public final class MutantList {
  private static final List<Long> SEEDS = List.of(1L, 2L, 3L);

  private MutantList() {}

  /** The folder of {@code ./convoke}: as it says itself, or around the current folder. */
  public static Path home() {
    Path here = Path.of(System.getProperty("convoke.home", "")).toAbsolutePath();
    while (!Files.isRegularFile(here.resolve("convoke"))) {
      Path parent = here.getParent();
      if (parent == null) {
        throw new IllegalStateException("no ./convoke around the current folder");
      }
      here = parent;
    }
    return here;
  }

  /** All mutants of the lists in this folder, by scenario. */
  public static List<Mutant> read(Path folder) throws IOException {
    List<Mutant> all = new ArrayList<>();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.filter(it -> it.toString().endsWith(".txt")).sorted().toList()) {
        String scenario = file.getFileName().toString().replace(".txt", "");
        all.addAll(parse(scenario, Files.readAllLines(file)));
      }
    }
    return List.copyOf(all);
  }

  static List<Mutant> parse(String scenario, List<String> lines) {
    List<Mutant> all = new ArrayList<>();
    int at = 0;
    while (at < lines.size()) {
      if (!lines.get(at).startsWith("# ")) {
        at++;
        continue;
      }
      String name = lines.get(at).substring(2).strip();
      int end = at + 1;
      while (end < lines.size() && !lines.get(end).startsWith("# ")) {
        end++;
      }
      all.add(mutant(scenario, name, lines.subList(at + 1, end)));
      at = end;
    }
    return all;
  }

  private static Mutant mutant(String scenario, String name, List<String> lines) {
    List<String> rules = List.of();
    List<Long> seeds = SEEDS;
    MutantOptions options = MutantOptions.USUAL;
    List<SourceEdit> edits = new ArrayList<>();
    String file = "";
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i);
      String value = line.substring(line.indexOf(':') + 1).strip();
      if (line.startsWith("rules:")) {
        rules = List.of(value.split(" +", -1));
      } else if (line.startsWith("seeds:")) {
        seeds = Stream.of(value.split(" +", -1)).map(Long::valueOf).toList();
      } else if (line.startsWith("options:")) {
        options = options(value);
      } else if (line.startsWith("file:")) {
        file = value;
      } else if (line.equals("<<<<")) {
        int middle = lines.subList(i, lines.size()).indexOf("====") + i;
        int end = lines.subList(middle, lines.size()).indexOf(">>>>") + middle;
        edits.add(
            new SourceEdit(
                file,
                String.join("\n", lines.subList(i + 1, middle)),
                String.join("\n", lines.subList(middle + 1, end))));
        i = end;
      } else if (!line.isBlank()) {
        throw new IllegalArgumentException(scenario + "/" + name + ": " + line);
      }
    }
    if (rules.isEmpty() || edits.isEmpty()) {
      throw new IllegalArgumentException(scenario + "/" + name + " needs rules and edits");
    }
    return new Mutant(scenario, name, rules, seeds, options, List.copyOf(edits));
  }

  private static MutantOptions options(String text) {
    MutantOptions options = MutantOptions.USUAL;
    for (String word : text.split(" +", -1)) {
      String[] pair = word.split("=", -1);
      options =
          switch (pair[0]) {
            case "seconds" ->
                new MutantOptions(Integer.parseInt(pair[1]), options.servers(), options.redis());
            case "servers" ->
                new MutantOptions(options.seconds(), Integer.parseInt(pair[1]), options.redis());
            case "redis" -> new MutantOptions(options.seconds(), options.servers(), true);
            default -> throw new IllegalArgumentException("no option " + word);
          };
    }
    return options;
  }
}
