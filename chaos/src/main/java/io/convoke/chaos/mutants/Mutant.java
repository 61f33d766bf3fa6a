package io.convoke.chaos.mutants;

import java.util.List;

/**
 * A broken copy of the product.
 *
 * @param scenario whose checker must find it
 * @param name with its number, for example {@code 01-webhooks-answered-503}
 * @param rules of which one is expected to turn red
 * @param seeds to try, in this order
 * @param options of the run
 * @param edits of the product's sources
 */
public record Mutant(
    String scenario,
    String name,
    List<String> rules,
    List<Long> seeds,
    MutantOptions options,
    List<SourceEdit> edits) {

  /**
   * Options of a run, as those of the command.
   *
   * @param seconds length of the fault phase; 0 for the scenario's own
   * @param servers number of servers; 0 for the scenario's own
   * @param redis whether stores fail too
   */
  public record MutantOptions(int seconds, int servers, boolean redis) {
    static final MutantOptions USUAL = new MutantOptions(0, 0, false);
  }

  /**
   * A text that is replaced in a source or resource.
   *
   * @param file from the folder of {@code ./convoke}
   * @param old occurs there exactly once
   */
  public record SourceEdit(String file, String old, String changed) {
    /** The source with the change; throws if the old text does not occur exactly once. */
    public String apply(String source) {
      int at = source.indexOf(old);
      if (at < 0 || source.indexOf(old, at + 1) >= 0) {
        throw new IllegalArgumentException(
            file + " has " + (at < 0 ? "no" : "more than one") + " text: " + old);
      }
      return source.substring(0, at) + changed + source.substring(at + old.length());
    }
  }

  /** Its scenario and name. */
  public String label() {
    return scenario + "/" + name;
  }
}
