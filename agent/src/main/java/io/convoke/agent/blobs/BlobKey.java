package io.convoke.agent.blobs;

import java.util.regex.Pattern;

/**
 * The name of a blob: segments of letters, digits, dots, dashes and underscores, separated by
 * slashes. No segment begins with a dot, so no key escapes its folder.
 */
public record BlobKey(String text) {
  private static final int MAX = 512;
  private static final Pattern FORM =
      Pattern.compile("[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*");

  public BlobKey {
    if (text.length() > MAX || !FORM.matcher(text).matches()) {
      throw new IllegalArgumentException("invalid blob key: " + text);
    }
  }

  @Override
  public String toString() {
    return text;
  }
}
