package io.convoke.gate;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A Lua script with one thing broken: a call of Redis left out, a comparison changed, or an {@code
 * if} that always or never holds.
 *
 * @param line from 1
 * @param code what the line was, without spaces at its ends
 * @param script all of the broken script
 */
record LuaMutant(LuaMutation mutation, int line, String code, String script) {
  /** What was broken. */
  enum LuaMutation {
    CALL_LEFT_OUT,
    COMPARISON_CHANGED,
    ALWAYS_TRUE,
    NEVER_TRUE
  }

  /** A statement of one line that uses no result. */
  private static final Pattern CALL = Pattern.compile("^\\s*redis\\.call\\(.*\\)\\s*$");

  private static final Pattern CONDITION =
      Pattern.compile("^(\\s*(?:else)?if )(.+)( then\\b.*)$", Pattern.DOTALL);

  private static final Pattern COMPARISON = Pattern.compile("<=|>=|==|~=|<|>");

  private static final Map<String, String> CHANGED =
      Map.of("<=", "<", ">=", ">", "==", "~=", "~=", "==", "<", "<=", ">", ">=");

  /** All mutants of a script, in the order of its lines. */
  static List<LuaMutant> of(String script) {
    List<String> lines = script.lines().toList();
    List<LuaMutant> mutants = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i);
      String code = withoutTexts(line);
      if (CALL.matcher(code).matches() && isBalanced(code)) {
        mutants.add(with(lines, i, LuaMutation.CALL_LEFT_OUT, "do end"));
      }
      Matcher comparison = COMPARISON.matcher(code);
      while (comparison.find()) {
        String changed =
            line.substring(0, comparison.start())
                + CHANGED.get(comparison.group())
                + line.substring(comparison.end());
        mutants.add(with(lines, i, LuaMutation.COMPARISON_CHANGED, changed));
      }
      Matcher condition = CONDITION.matcher(code);
      if (condition.matches()) {
        String before = line.substring(0, condition.end(1));
        String after = line.substring(condition.start(3));
        mutants.add(with(lines, i, LuaMutation.ALWAYS_TRUE, before + "true" + after));
        mutants.add(with(lines, i, LuaMutation.NEVER_TRUE, before + "false" + after));
      }
    }
    return mutants;
  }

  private static LuaMutant with(List<String> lines, int index, LuaMutation mutation, String line) {
    List<String> all = new ArrayList<>(lines);
    all.set(index, line);
    return new LuaMutant(
        mutation, index + 1, lines.get(index).strip(), String.join("\n", all) + "\n");
  }

  /** The line with spaces where it has strings and a comment; what is left is where it was. */
  private static String withoutTexts(String line) {
    StringBuilder code = new StringBuilder(line);
    char quote = 0;
    for (int i = 0; i < line.length(); i++) {
      char c = line.charAt(i);
      if (quote == 0 && line.startsWith("--", i)) {
        code.setLength(i);
        return code.toString();
      }
      if (quote != 0) {
        if (c == '\\') {
          code.setCharAt(i++, ' ');
        } else if (c == quote) {
          quote = 0;
        }
        code.setCharAt(Math.min(i, line.length() - 1), ' ');
      } else if (c == '\'' || c == '"') {
        quote = c;
        code.setCharAt(i, ' ');
      }
    }
    return code.toString();
  }

  private static boolean isBalanced(String code) {
    int open = 0;
    for (int i = 0; i < code.length(); i++) {
      open += code.charAt(i) == '(' ? 1 : code.charAt(i) == ')' ? -1 : 0;
      if (open == 0 && code.charAt(i) == ')') {
        return code.substring(i + 1).isBlank();
      }
    }
    return false;
  }
}
