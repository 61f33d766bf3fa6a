package io.convoke.release.docs;

import static io.convoke.release.docs.PageLayout.escaped;

import io.convoke.release.docs.SitePage.PageSection;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;

/** The pages about the HTTP API: one for each tag, one of events, one of schemas. */
final class ApiReference {
  /** The page that leads to the others. */
  static final String INDEX = "api.html";

  private static final Set<String> METHODS = Set.of("get", "post", "put", "patch", "delete");

  private final JsonNode document;

  private ApiReference(JsonNode document) {
    this.document = document;
  }

  /** All pages; the index comes first. */
  static List<SitePage> pages(JsonNode document) {
    ApiReference reference = new ApiReference(document);
    List<SitePage> pages = new ArrayList<>();
    pages.add(reference.index());
    for (JsonNode tag : document.path("tags")) {
      pages.add(reference.group(tag));
    }
    pages.add(reference.events());
    pages.add(reference.components());
    return pages;
  }

  /** A page under construction: HTML, and its sections for the search. */
  private static final class PageDraft {
    private final String path;
    private final String title;
    private final StringBuilder html = new StringBuilder();
    private final List<PageSection> sections = new ArrayList<>();

    PageDraft(String path, String title, String lead) {
      this.path = path;
      this.title = title;
      html.append("<h1>").append(escaped(title)).append("</h1>\n");
      html.append("<p>").append(escaped(lead)).append("</p>\n");
      html.append(path.equals(INDEX) ? "" : "<p>What has a * is always there, or needed.</p>\n");
      sections.add(new PageSection(1, "", title, lead));
    }

    void heading(String anchor, String shown, String heading, String text) {
      html.append("<h2 id=\"").append(anchor).append("\">").append(shown).append("</h2>\n");
      sections.add(new PageSection(2, anchor, heading, text));
    }

    SitePage page() {
      return new SitePage(path, title, html.toString(), sections);
    }
  }

  private static String pathOf(String tag) {
    return "api/" + tag + ".html";
  }

  private SitePage index() {
    PageDraft draft =
        new PageDraft(
            INDEX,
            "HTTP API",
            "Every operation, from the OpenAPI 3.1 document that each server has at /openapi.yaml.");
    draft.html.append("<p>The document: <a href=\"reference/openapi.json\">openapi.json</a>.</p>");
    draft.html.append("\n<div class=\"wide\" tabindex=\"0\"><table><thead><tr>");
    draft.html.append("<th scope=\"col\">Group</th><th scope=\"col\">About</th>");
    draft.html.append("<th scope=\"col\">Operations</th></tr></thead><tbody>\n");
    Map<String, Integer> counts = new TreeMap<>();
    operations("paths").values().stream()
        .flatMap(List::stream)
        .forEach(it -> counts.merge(it.tag(), 1, Integer::sum));
    for (JsonNode tag : document.path("tags")) {
      String name = tag.path("name").asString();
      row(
          draft,
          pathOf(name),
          name,
          tag.path("description").asString(),
          counts.getOrDefault(name, 0));
    }
    row(
        draft,
        "api/webhook-events.html",
        "webhook events",
        "What Convoke sends to registered endpoints.",
        document.path("webhooks").size());
    row(
        draft,
        "api/schemas.html",
        "schemas",
        "The objects that several operations use.",
        document.at("/components/schemas").size());
    draft.html.append("</tbody></table></div>\n");
    return draft.page();
  }

  private static void row(PageDraft draft, String path, String name, String about, int operations) {
    draft.html.append("<tr><td><a href=\"").append(path).append("\">").append(name);
    draft.html.append("</a></td><td>").append(escaped(about)).append("</td><td>");
    draft.html.append(operations).append("</td></tr>\n");
  }

  /** An operation with its place. */
  private record ApiOperation(String method, String path, JsonNode description) {
    String tag() {
      return description.at("/tags/0").asString();
    }

    String id() {
      return description.path("operationId").asString();
    }
  }

  private Map<String, List<ApiOperation>> operations(String section) {
    Map<String, List<ApiOperation>> byPath = new LinkedHashMap<>();
    for (Map.Entry<String, JsonNode> path : document.path(section).properties()) {
      List<ApiOperation> operations = new ArrayList<>();
      for (Map.Entry<String, JsonNode> operation : path.getValue().properties()) {
        if (METHODS.contains(operation.getKey())) {
          operations.add(
              new ApiOperation(
                  operation.getKey().toUpperCase(Locale.ROOT),
                  path.getKey(),
                  operation.getValue()));
        }
      }
      byPath.put(path.getKey(), operations);
    }
    return byPath;
  }

  private SitePage group(JsonNode tag) {
    String name = tag.path("name").asString();
    PageDraft draft =
        new PageDraft(pathOf(name), "API: " + name, tag.path("description").asString());
    operations("paths").values().stream()
        .flatMap(List::stream)
        .filter(operation -> operation.tag().equals(name))
        .forEach(operation -> operation(draft, operation));
    return draft.page();
  }

  private void operation(PageDraft draft, ApiOperation operation) {
    JsonNode description = operation.description();
    String summary = description.path("summary").asString();
    String place = operation.method() + " " + operation.path();
    draft.heading(
        operation.id(),
        "<code><span class=\"method\">"
            + operation.method()
            + "</span> "
            + escaped(operation.path())
            + "</code>",
        place,
        summary + " " + description.path("description").asString());
    draft.html.append("<p><strong>").append(escaped(summary)).append("</strong></p>\n");
    paragraphs(draft, description.path("description").asString());
    draft.html.append("<p>Operation <code>").append(operation.id()).append("</code></p>\n");
    parameters(draft, description.path("parameters"));
    if (description.has("requestBody")) {
      draft.html.append("<h3>Request body</h3>\n");
      contents(draft, description.path("requestBody"));
    }
    responses(draft, description.path("responses"));
  }

  private static void paragraphs(PageDraft draft, String text) {
    for (String paragraph : text.split("\n\n", -1)) {
      draft.html.append("<p>").append(escaped(paragraph)).append("</p>\n");
    }
  }

  private static void parameters(PageDraft draft, JsonNode parameters) {
    if (parameters.isEmpty()) {
      return;
    }
    draft.html.append("<h3>Parameters</h3>\n<div class=\"wide\" tabindex=\"0\"><table><thead><tr>");
    draft.html.append("<th scope=\"col\">Name</th><th scope=\"col\">In</th>");
    draft.html.append("<th scope=\"col\">Type</th><th scope=\"col\">Meaning</th>");
    draft.html.append("</tr></thead><tbody>\n");
    for (JsonNode parameter : parameters) {
      draft.html.append("<tr><td><code>").append(parameter.path("name").asString());
      draft.html.append("</code>").append(parameter.path("required").asBoolean() ? " *" : "");
      draft.html.append("</td><td>").append(parameter.path("in").asString()).append("</td><td>");
      draft.html.append(SchemaHtml.type(parameter.path("schema"), draft.path)).append("</td><td>");
      draft.html.append(escaped(parameter.path("description").asString())).append("</td></tr>\n");
    }
    draft.html.append("</tbody></table></div>\n");
  }

  private static void contents(PageDraft draft, JsonNode holder) {
    for (Map.Entry<String, JsonNode> content : holder.path("content").properties()) {
      draft.html.append("<p><code>").append(escaped(content.getKey())).append("</code>: ");
      JsonNode schema = content.getValue().path("schema");
      draft.html.append(SchemaHtml.type(schema, draft.path)).append("</p>\n");
      draft.html.append(SchemaHtml.members(schema, draft.path));
      if (content.getValue().has("example")) {
        draft.html.append("<pre tabindex=\"0\"><code>");
        draft.html.append(escaped(content.getValue().get("example").toPrettyString()));
        draft.html.append("</code></pre>\n");
      }
    }
  }

  private void responses(PageDraft draft, JsonNode responses) {
    List<String> problems = new ArrayList<>();
    draft.html.append("<h3>Answers</h3>\n");
    for (Map.Entry<String, JsonNode> response : responses.properties()) {
      JsonNode answer = resolved(response.getValue());
      if (response.getKey().startsWith("2") || response.getKey().startsWith("3")) {
        draft.html.append("<p><strong>").append(response.getKey()).append("</strong> ");
        draft.html.append(escaped(answer.path("description").asString())).append("</p>\n");
        contents(draft, answer);
      } else {
        problems.add(response.getKey() + " " + answer.path("description").asString());
      }
    }
    if (!problems.isEmpty()) {
      draft.html.append("<p>Problems: ").append(escaped(String.join(", ", problems)));
      draft.html.append(".</p>\n");
    }
  }

  private JsonNode resolved(JsonNode node) {
    return node.has("$ref") ? document.at(node.get("$ref").asString().substring(1)) : node;
  }

  private SitePage events() {
    PageDraft draft =
        new PageDraft(
            "api/webhook-events.html",
            "Webhook events",
            "Every type of event, as endpoints receive it and GET /events lists it.");
    for (List<ApiOperation> operations : operations("webhooks").values()) {
      for (ApiOperation operation : operations) {
        String summary = operation.description().path("summary").asString();
        draft.heading(
            MarkdownRenderer.anchor(operation.path()),
            "<code>" + escaped(operation.path()) + "</code>",
            operation.path(),
            summary);
        draft.html.append("<p>").append(escaped(summary)).append("</p>\n");
        contents(draft, operation.description().path("requestBody"));
      }
    }
    return draft.page();
  }

  private SitePage components() {
    PageDraft draft =
        new PageDraft(
            SchemaHtml.PAGE, "API schemas", "The objects that several operations use, by name.");
    for (Map.Entry<String, JsonNode> schema : document.at("/components/schemas").properties()) {
      String about = schema.getValue().path("description").asString("");
      draft.heading(schema.getKey(), escaped(schema.getKey()), schema.getKey(), about);
      if (!about.isEmpty()) {
        draft.html.append("<p>").append(escaped(about)).append("</p>\n");
      }
      draft.html.append(SchemaHtml.members(schema.getValue(), draft.path));
    }
    return draft.page();
  }
}
