package io.convoke.server.egress;

/** Has the rounds of the retention run now. */
public final class EgressRounds {
  private EgressRounds() {}

  /** Counts files of ended egresses. */
  public static void count(EgressFeature feature) {
    feature.keeping().count();
  }

  /** Submits tasks again that did not finish an egress. */
  public static void finishAgain(EgressFeature feature) {
    feature.keeping().finishAgain();
  }

  /** Deletes what is due; returns how many egresses lost their files. */
  public static int tidy(EgressFeature feature) {
    return feature.keeping().tidy();
  }
}
