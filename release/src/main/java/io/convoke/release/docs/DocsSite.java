package io.convoke.release.docs;

import io.convoke.release.docs.PageLayout.NavigationGroup;
import io.convoke.release.docs.PageLayout.NavigationLink;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The whole site in memory: each file by its path. */
public final class DocsSite {
  private static final String DOCUMENT = "docs/reference/openapi.json";
  private static final List<String> ASSETS = List.of("site.css", "site.js", "favicon.svg");

  private final SiteSources sources;
  private final Map<String, SitePage> pages = new LinkedHashMap<>();
  private final Map<String, byte[]> files = new TreeMap<>();

  /** Markdown by the path of its page, for {@code llms-full.txt}. */
  private final Map<String, String> markdown = new LinkedHashMap<>();

  private final Deque<String> toRender = new ArrayDeque<>();
  private final Set<String> known = new LinkedHashSet<>();

  private DocsSite(SiteSources sources) {
    this.sources = sources;
  }

  /**
   * Makes the site of a checkout.
   *
   * @return the bytes of each file, by its path with slashes
   * @throws BrokenLinks if a link of a page leads nowhere
   */
  static Map<String, byte[]> of(SiteSources sources) throws IOException {
    return new DocsSite(sources).make();
  }

  private Map<String, byte[]> make() throws IOException {
    sources.pages().forEach(this::need);
    need(DOCUMENT);
    while (!toRender.isEmpty()) {
      render(toRender.remove());
    }
    JsonNode document = JsonMapper.shared().readTree(sources.text(DOCUMENT));
    ApiReference.pages(document).forEach(page -> pages.put(page.path(), page));
    BrokenLinks.check(pages.values(), files.keySet());
    List<NavigationGroup> navigation = navigation();
    for (SitePage page : pages.values()) {
      put(page.path(), PageLayout.html(page, navigation));
    }
    put("search.json", SearchIndex.json(pages.values()));
    put("llms.txt", LlmsText.index(navigation, pages));
    put("llms-full.txt", LlmsText.full(navigation, markdown));
    for (String asset : ASSETS) {
      files.put(asset, resource(asset));
    }
    return files;
  }

  private void put(String path, String text) {
    files.put(path, text.getBytes(StandardCharsets.UTF_8));
  }

  /** Has a file of the repository in the site, once. */
  private void need(String source) {
    if (known.add(source)) {
      toRender.add(source);
    }
  }

  private void render(String source) throws IOException {
    String place = sources.place(source);
    if (sources.isFolder(source)) {
      pages.put(place, folder(source, place));
    } else if (SiteSources.isPage(source)) {
      String text = sources.text(source);
      markdown.put(place, text);
      pages.put(place, MarkdownRenderer.page(place, text, link -> target(source, place, link)));
    } else {
      files.put(place, sources.bytes(source));
    }
  }

  /** A page that lists the files of a folder, because a page links to the folder. */
  private SitePage folder(String source, String place) throws IOException {
    StringBuilder list = new StringBuilder("# Files in " + source + "\n\n");
    for (String name : sources.names(source)) {
      if (!sources.isFolder(source + "/" + name)) {
        list.append("- [").append(name).append("](").append(name).append(")\n");
      }
    }
    return MarkdownRenderer.page(
        place, list.toString(), link -> target(source + "/files", place, link));
  }

  /**
   * The target in the site of a link in a page, relative or from the root of the repository; the
   * file that it names comes into the site.
   */
  private String target(String source, String place, String link) {
    if (link.contains("://") || link.startsWith("mailto:") || link.startsWith("#")) {
      return link;
    }
    String[] parts = link.split("#", 2);
    String found =
        parts[0].startsWith("/") ? parts[0].substring(1) : SitePaths.resolve(source, parts[0]);
    if (!sources.exists(found)) {
      return link;
    }
    need(found);
    String anchor = parts.length > 1 ? "#" + parts[1] : "";
    return SitePage.toRoot(place) + sources.place(found) + anchor;
  }

  private List<NavigationGroup> navigation() {
    List<NavigationGroup> groups = new ArrayList<>();
    groups.add(
        group("Start", path -> path.equals("index.html") || path.equals("repository/index.html")));
    groups.add(group("Tutorials", path -> path.startsWith("tutorials/")));
    groups.add(
        group(
            "Guides",
            path ->
                path.startsWith("guides/")
                    || path.startsWith("operations/")
                    || path.equals("migrate.html")));
    groups.add(group("Reference", path -> path.startsWith("reference/")));
    groups.add(group("API", path -> path.equals(ApiReference.INDEX) || path.startsWith("api/")));
    groups.add(
        group(
            "Explanation",
            path -> path.startsWith("explanation/") || path.equals("architecture.html")));
    groups.add(group("Specification", path -> path.startsWith("spec/")));
    groups.add(group("Results", path -> path.startsWith("results")));
    groups.add(group("Decisions", path -> path.startsWith("decisions/")));
    groups.add(
        group(
            "Project",
            path -> path.startsWith("repository/") && !path.equals("repository/index.html")));
    return groups;
  }

  private NavigationGroup group(String title, Predicate<String> paths) {
    return new NavigationGroup(
        title,
        pages.values().stream()
            .filter(page -> paths.test(page.path()))
            .map(page -> new NavigationLink(page.title(), page.path()))
            .toList());
  }

  private static byte[] resource(String name) throws IOException {
    try (InputStream in = DocsSite.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IOException("no resource " + name);
      }
      return in.readAllBytes();
    }
  }
}
