package io.convoke.gate;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The arguments of {@code ./convoke test}.
 *
 * @param all whether nightly tests run too
 * @param only the classes to run, with or without a method; none for all
 * @param mutation whether the code is broken on purpose to see what no test finds
 * @param sample so many mutants of the scripts, drawn by the seed; 0 for all
 * @param properties system properties for the forks, as {@code -Dname=value}
 */
record Options(
    boolean all,
    boolean mutation,
    int sample,
    long seed,
    List<String> only,
    int forks,
    List<String> properties,
    boolean help) {
  private static final int FORKS_MAX = 6;

  static Options parse(String... arguments) {
    boolean all = false;
    boolean help = false;
    boolean mutation = false;
    int sample = 0;
    long seed = 1;
    int forks = Math.min(FORKS_MAX, 1 + Runtime.getRuntime().availableProcessors());
    List<String> only = new ArrayList<>();
    List<String> properties = new ArrayList<>();
    for (int i = 0; i < arguments.length; i++) {
      String argument = arguments[i];
      boolean last = i + 1 == arguments.length;
      if (argument.equals("--all")) {
        all = true;
      } else if (argument.equals("--mutation")) {
        mutation = true;
      } else if (argument.equals("--sample") && !last) {
        sample = number(argument, arguments[++i], 5);
      } else if (argument.equals("--seed") && !last) {
        seed = number(argument, arguments[++i], 9);
      } else if (argument.equals("--help")) {
        help = true;
      } else if (argument.equals("--only") && !last) {
        only.addAll(List.of(arguments[++i].split(",", -1)));
      } else if (argument.equals("--forks") && !last) {
        forks = number(argument, arguments[++i], 2);
      } else if (argument.startsWith("-D")) {
        properties.add(argument);
      } else {
        throw new IllegalArgumentException("unknown or incomplete option " + argument);
      }
    }
    return new Options(
        all, mutation, sample, seed, List.copyOf(only), forks, List.copyOf(properties), help);
  }

  private static int number(String option, String number, int digits) {
    if (!number.matches("[1-9][0-9]{0," + (digits - 1) + "}")) {
      throw new IllegalArgumentException(
          option + " takes a number from 1 to " + "9".repeat(digits));
    }
    return Integer.parseInt(number);
  }

  /** Tests with one of these tags are left out; what is asked for by name is not. */
  Set<String> excludedTags() {
    if (!only.isEmpty()) {
      return Set.of();
    }
    return all ? Set.of(TestClass.PICTURES) : Set.of(TestClass.PICTURES, TestClass.NIGHTLY);
  }

  /** Whether any of a class is to run. */
  boolean wants(TestClass test) {
    return only.isEmpty()
        ? Collections.disjoint(test.tags(), excludedTags())
        : selectors(test).findAny().isPresent();
  }

  /** The methods of a class that are to run; empty for all of it. */
  Set<String> methods(TestClass test) {
    if (!test.method().isEmpty()) {
      return Set.of(test.method());
    }
    Set<String> named = selectors(test).map(Options::methodOf).collect(Collectors.toSet());
    return named.contains("") ? Set.of() : Set.copyOf(named);
  }

  private Stream<String> selectors(TestClass test) {
    return only.stream()
        .filter(it -> classOf(it).equals(test.simpleName()) || classOf(it).equals(test.name()))
        .filter(
            it ->
                test.method().isEmpty()
                    || methodOf(it).isEmpty()
                    || methodOf(it).equals(test.method()));
  }

  private static String classOf(String selector) {
    return selector.substring(0, (selector + '#').indexOf('#'));
  }

  private static String methodOf(String selector) {
    return selector.substring(Math.min(selector.length(), classOf(selector).length() + 1));
  }
}
