package io.convoke.release.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The site of a small project, and that of this one. */
class DocsSiteTest {
  private static final Path HOME =
      Path.of(System.getProperty("convoke.home", "..")).toAbsolutePath().normalize();
  private static final String API =
      """
      {"tags": [{"name": "things", "description": "Things of users."}],
       "paths": {"/things/{id}": {"get": {"operationId": "getThing", "tags": ["things"],
         "summary": "One <thing>.", "description": "Callers: users.",
         "parameters": [{"name": "id", "in": "path", "required": true, "description": "Which one.",
           "schema": {"type": "integer", "format": "int64", "minimum": 1,
             "maximum": 9223372036854775807}}],
         "responses": {
           "200": {"description": "OK", "content": {"application/json":
             {"schema": {"$ref": "#/components/schemas/Thing"}, "example": {"name": "a"}}}},
           "404": {"$ref": "#/components/responses/Problem404"}}}}},
       "webhooks": {"thing.made": {"post": {"operationId": "onThingMade", "tags": ["things"],
         "summary": "A thing was made.", "requestBody": {"content": {"application/json":
           {"schema": {"type": "object", "properties": {"seq": {"type": "integer"}}}}}},
         "responses": {}}}},
       "components": {"responses": {"Problem404": {"description": "Not Found"}},
         "schemas": {"Thing": {"type": "object", "required": ["name"], "properties":
           {"name": {"type": "string", "description": "What it is called."},
            "inner": {"type": "object", "properties": {"size": {"type": "number"}}}}}}}}
      """;

  @TempDir private Path project;

  private Map<String, byte[]> site(Map<String, String> pages) throws IOException {
    write("docs/reference/openapi.json", API);
    for (Map.Entry<String, String> page : pages.entrySet()) {
      write(page.getKey(), page.getValue());
    }
    return DocsSite.of(new SiteSources(project));
  }

  private void write(String path, String text) throws IOException {
    Path file = project.resolve(path);
    Path _ = Files.createDirectories(file.getParent());
    Path _ = Files.writeString(file, text);
  }

  private static String text(Map<String, byte[]> site, String path) {
    assertThat(site).containsKey(path);
    return new String(site.getOrDefault(path, new byte[0]), StandardCharsets.UTF_8);
  }

  @Test
  void linksBetweenPagesLeadToPages() throws IOException {
    Map<String, byte[]> site =
        site(
            Map.of(
                "docs/README.md",
                "# Documentation\n\n[a](guides/a.md#second-one) [me](../README.md) [all](files)\n",
                "docs/guides/a.md",
                "# A\n\n## Second `one`!\n\n[back](../README.md) [key](../../tool/key.yaml)\n",
                "docs/files/one.json",
                "{}",
                "tool/key.yaml",
                "a: 1\n",
                "README.md",
                "# Project\n\n[docs](docs/README.md)\n"));
    assertThat(text(site, "index.html"))
        .contains(
            "href=\"guides/a.html#second-one\"",
            "href=\"repository/index.html\"",
            "href=\"files/files.html\"");
    assertThat(text(site, "guides/a.html"))
        .contains(
            "<h2 id=\"second-one\">",
            "href=\"../index.html\"",
            "href=\"../repository/tool/key.yaml.txt\"");
    assertThat(text(site, "repository/tool/key.yaml.txt")).isEqualTo("a: 1\n");
    assertThat(text(site, "files/files.html")).contains("href=\"../files/one.json\"");
  }

  @Test
  void aLinkThatLeadsNowhereEndsIt() {
    assertThatExceptionOfType(BrokenLinks.class)
        .isThrownBy(
            () ->
                site(
                    Map.of(
                        "docs/README.md",
                        "# D\n\n[gone](gone.md) [no anchor](b.md#gone) [own](#gone) [good](b.md#b)\n",
                        "docs/b.md",
                        "# B\n\n![picture](gone.png) [out](https://example.org/x)\n")))
        .withMessageContainingAll(
            "index.html -> gone.md",
            "index.html -> b.html#gone",
            "index.html -> #gone",
            "b.html -> gone.png")
        .satisfies(
            broken ->
                assertThat(broken.getMessage())
                    .doesNotContain("b.html#b")
                    .doesNotContain("example.org"));
  }

  /** {@code printf 'flowchart LR\n a --> b\n' | sha256sum} begins with the picture's name. */
  @Test
  void aDiagramIsShownAsThePictureThatWasDrawnOfIt() throws IOException {
    String page = "# D\n\n```mermaid\nflowchart LR\n    a --> b\n```\n\n```sh\nls\n```\n";
    assertThatExceptionOfType(BrokenLinks.class)
        .isThrownBy(() -> site(Map.of("docs/guides/a.md", page)))
        .withMessageContaining("guides/a.html -> /docs/images/diagrams/4fe8324427ed9382.svg");
    write(
        "docs/images/diagrams/4fe8324427ed9382.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>");
    Map<String, byte[]> site = site(Map.of("docs/guides/a.md", page));
    assertThat(site).containsKey("images/diagrams/4fe8324427ed9382.svg");
    assertThat(text(site, "guides/a.html"))
        .contains(
            "<img src=\"../images/diagrams/4fe8324427ed9382.svg\" alt=\"flowchart LR\n    a --&gt; b\" />")
        .contains("ls\n</code>")
        .doesNotContain("mermaid");
  }

  @Test
  void textOfPagesStaysText() throws IOException {
    Map<String, byte[]> site =
        site(
            Map.of(
                "docs/README.md",
                "# A < B\n\n<script>alert(1)</script> and @@main@@\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"));
    assertThat(text(site, "index.html"))
        .contains("<title>A &lt; B - Convoke</title>", "&lt;script&gt;", "@@main@@")
        .contains("<div class=\"wide\" tabindex=\"0\"><table>", "<th scope=\"col\">a</th>")
        .doesNotContain("<script>alert");
  }

  @Test
  void theApiHasAPageForEachTagWithParametersMembersAndExamples() throws IOException {
    Map<String, byte[]> site = site(Map.of("docs/README.md", "# D\n"));
    assertThat(text(site, "api.html")).contains("href=\"api/things.html\"", "Things of users.");
    assertThat(text(site, "api/things.html"))
        .contains("<h2 id=\"getThing\">", "One &lt;thing&gt;.", "Which one.", "integer, from 1")
        .contains("href=\"../api/schemas.html#Thing\"", "&quot;name&quot; : &quot;a&quot;")
        .contains("Problems: 404 Not Found.");
    assertThat(text(site, "api/schemas.html"))
        .contains("<h2 id=\"Thing\">", "What it is called.", "<code>inner.size</code>");
    assertThat(text(site, "api/webhook-events.html")).contains("<h2 id=\"thingmade\">");
  }

  @Test
  void theSearchAndTheModelsGetTheText() throws IOException {
    Map<String, byte[]> site =
        site(
            Map.of(
                "docs/README.md",
                "# Docs\n\nWelcome all.\n",
                "docs/guides/a.md",
                "# Guide\n\nHow it goes. More.\n\n## Twice\n\nfirst `code`\n\n## Twice\n\nsecond\n"));
    JsonNode index = JsonMapper.shared().readTree(text(site, "search.json"));
    List<String> entries = new ArrayList<>();
    index.forEach(
        entry ->
            entries.add(
                entry.path("u").asString()
                    + " "
                    + entry.path("h").asString()
                    + ": "
                    + entry.path("t").asString()));
    assertThat(entries)
        .contains(
            "index.html#docs Docs: Welcome all.",
            "guides/a.html#twice Twice: first code",
            "guides/a.html#twice-1 Twice: second");
    assertThat(text(site, "llms.txt"))
        .startsWith("# Convoke\n\n> ")
        .contains("## Guides\n\n- [Guide](guides/a.html): How it goes.");
    assertThat(text(site, "llms-full.txt")).contains("Page: guides/a.html", "## Twice");
  }

  /** No link of this project is broken, and each operation has its place. */
  @Test
  void thisProjectHasASite() throws IOException {
    SiteSources sources = new SiteSources(HOME);
    Map<String, byte[]> site = DocsSite.of(sources);
    JsonNode document = JsonMapper.shared().readTree(sources.text("docs/reference/openapi.json"));
    List<String> missing = new ArrayList<>();
    document
        .path("paths")
        .forEach(
            path ->
                path.forEach(
                    operation -> {
                      String id = operation.path("operationId").asString();
                      String page = "api/" + operation.at("/tags/0").asString() + ".html";
                      if (!text(site, page).contains("<h2 id=\"" + id + "\">")) {
                        missing.add(id);
                      }
                    }));
    assertThat(missing).isEmpty();
    assertThat(site)
        .containsKeys("index.html", "guides/deploy.html", "repository/CHANGELOG.html", "site.css");
    List<String> drawn =
        site.keySet().stream().filter(path -> path.startsWith("images/diagrams/")).toList();
    assertThat(drawn.stream().map(path -> "docs/" + path))
        .as("pictures of diagrams that are no longer there; cd release/diagrams && npm run draw")
        .hasSizeGreaterThan(5)
        .containsExactlyInAnyOrderElementsOf(
            sources.names("docs/images/diagrams").stream()
                .map(name -> "docs/images/diagrams/" + name)
                .toList());
  }

  /** Nothing is asked of another host: no script, style, picture or font. */
  @Test
  void pagesAskNothingOfOtherHosts() throws IOException {
    Pattern foreign = Pattern.compile("(?:src|srcset)=\"https?:|<link[^>]* href=\"https?:|@import");
    Map<String, byte[]> site = DocsSite.of(new SiteSources(HOME));
    assertThat(
            site.keySet().stream()
                .filter(path -> path.matches(".*\\.(html|css|svg)"))
                .filter(path -> foreign.matcher(text(site, path)).find()))
        .isEmpty();
    assertThat(text(site, "site.js")).doesNotContain("http");
  }
}
