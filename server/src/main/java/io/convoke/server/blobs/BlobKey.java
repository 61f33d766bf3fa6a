package io.convoke.server.blobs;

import java.util.regex.Pattern;

/**
 * The name of a blob: segments of letters, digits, dots, dashes and underscores, divided by
 * slashes. No segment begins with a dot, so no key leaves its folder.
 */
public record BlobKey(String text) {
  private static final int MAX = 512;
  private static final Pattern FORM =
      Pattern.compile("[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*");

  public BlobKey {
    if (text.length() > MAX || !FORM.matcher(text).matches()) {
      throw new IllegalArgumentException("not the key of a blob: " + text);
    }
  }

  @Override
  public String toString() {
    return text;
  }
}
