package io.convoke.release.docs;

import io.convoke.release.docs.SitePage.PageSection;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/** What the search of the site reads: each section of each page with its words. */
final class SearchIndex {
  /** Characters of a section that are searched. */
  private static final int TEXT_MAX = 1500;

  private SearchIndex() {}

  /** An array of {@code {p: page, h: heading, u: address, t: text}}. */
  static String json(Collection<SitePage> pages) {
    List<Map<String, String>> entries = new ArrayList<>();
    for (SitePage page : pages) {
      for (PageSection section : page.sections()) {
        Map<String, String> entry = new LinkedHashMap<>();
        entry.put("p", page.title());
        entry.put("h", section.heading());
        entry.put(
            "u", section.anchor().isEmpty() ? page.path() : page.path() + "#" + section.anchor());
        String text = section.text();
        entry.put("t", text.length() <= TEXT_MAX ? text : text.substring(0, TEXT_MAX));
        entries.add(entry);
      }
    }
    return JsonMapper.shared().writeValueAsString(entries);
  }
}
