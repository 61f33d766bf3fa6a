package io.convoke.e2e.build;

import java.util.List;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Commands of a page.
 *
 * @param printed a pattern for all that they print; empty if the page does not say
 */
record ShellBlock(String commands, Optional<Pattern> printed) {
  /** A block of commands, and the block right after it, if that is of texts. */
  private static final Pattern BLOCKS =
      Pattern.compile("(?ms)^```sh\\n(.*?)^```\\n(?:\\n```text\\n(.*?)^```\\n)?");

  /** Commands that print nothing of interest. */
  static ShellBlock of(String commands) {
    return new ShellBlock(commands, Optional.empty());
  }

  /** All blocks of a page, in its order. */
  static List<ShellBlock> all(String page) {
    return BLOCKS.matcher(page).results().map(ShellBlock::of).toList();
  }

  /** Its first line, to name it. */
  String name() {
    return commands.lines().findFirst().orElse("");
  }

  private static ShellBlock of(MatchResult match) {
    return new ShellBlock(
        match.group(1), Optional.ofNullable(match.group(2)).map(ShellBlock::pattern));
  }

  /** In the page three dots stand for anything, on a line of their own for any lines. */
  private static Pattern pattern(String text) {
    return Pattern.compile(
        Stream.of(text.strip().split("\\.\\.\\.", -1))
            .map(String::strip)
            .map(Pattern::quote)
            .collect(Collectors.joining("(?s:.*?)")));
  }
}
