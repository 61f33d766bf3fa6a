package io.convoke.server.http.listener;

import java.util.regex.Pattern;

/**
 * The console's scripts and style sheets as they are sent: without comments and indentation, and
 * style sheets without white space beside their punctuation. Vendored files are sent unchanged.
 *
 * <p>It knows no grammar. A comment is a line that begins with two slashes, or what stands between
 * {@code /**} and the next end of a comment (in style sheets, any comment); so neither may stand in
 * a string of the console's, nor a brace, comma, colon or semicolon in one of a style sheet. Lines
 * of scripts end where they ended, which is all that their grammar asks of white space.
 */
public final class AssetMinifier {
  private static final Pattern LINES = Pattern.compile("(?m)^[ \\t]*//.*\\R");
  private static final Pattern DOCS = Pattern.compile("(?s)/\\*\\*.*?\\*/[ \\t]?");
  private static final Pattern BLOCKS = Pattern.compile("(?s)/\\*.*?\\*/");
  private static final Pattern INDENTS = Pattern.compile("(?m)^\\s+");
  private static final Pattern BESIDE = Pattern.compile("\\s*([{},;])\\s*");

  /** After the name of a property; before a colon white space has a meaning in selectors. */
  private static final Pattern AFTER_COLON = Pattern.compile(": +");

  private AssetMinifier() {}

  /**
   * The text of a file as it is sent.
   *
   * @param path within the console, {@code /pages/meeting.js}
   */
  public static String of(String path, String source) {
    if (path.startsWith("/vendor/")) {
      return source;
    }
    if (path.endsWith(".js")) {
      String bare = LINES.matcher(source).replaceAll("");
      return INDENTS.matcher(DOCS.matcher(bare).replaceAll("")).replaceAll("");
    }
    if (path.endsWith(".css")) {
      String bare = BESIDE.matcher(BLOCKS.matcher(source).replaceAll("")).replaceAll("$1");
      return AFTER_COLON.matcher(bare).replaceAll(":").replace(";}", "}").strip();
    }
    return source;
  }
}
