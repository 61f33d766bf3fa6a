package io.convoke.release.docs;

import java.util.List;

/**
 * A page of the site.
 *
 * @param path in the site, such as {@code guides/deploy.html}
 * @param title of the page, plain text
 * @param html what stands in its main part
 * @param sections the page cut at its headings, for the search
 */
record SitePage(String path, String title, String html, List<PageSection> sections) {
  SitePage {
    sections = List.copyOf(sections);
  }

  /**
   * What follows a heading.
   *
   * @param level 1 to 6
   * @param anchor the heading's id; empty before the first heading
   * @param heading plain text
   * @param text plain text up to the next heading
   */
  record PageSection(int level, String anchor, String heading, String text) {}

  /** What leads from this page to the root of the site: {@code ../} for each folder. */
  String toRoot() {
    return toRoot(path);
  }

  static String toRoot(String path) {
    return "../".repeat((int) path.chars().filter(c -> c == '/').count());
  }
}
