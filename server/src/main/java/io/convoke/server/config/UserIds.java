package io.convoke.server.config;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A range of users of this machine by number, both ends included. */
public record UserIds(int first, int last) {
  private static final Pattern FORM = Pattern.compile("(\\d{1,9})-(\\d{1,9})");

  static UserIds parse(String text) {
    Matcher form = FORM.matcher(text);
    if (form.matches()) {
      UserIds ids = new UserIds(Integer.parseInt(form.group(1)), Integer.parseInt(form.group(2)));
      if (ids.first >= 1 && ids.first <= ids.last) {
        return ids;
      }
    }
    throw new IllegalArgumentException("a range of user ids without root, as 64000-64999");
  }
}
