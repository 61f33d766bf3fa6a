package io.convoke.server.http;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Problems as pages, for endpoints to which another site sends a person's browser: there nothing of
 * ours reads JSON. Requests that do not accept HTML get the problem as everywhere.
 */
public final class ProblemPage {
  private static final String TYPE = "text/html; charset=utf-8";

  private ProblemPage() {}

  /**
   * The same handler, whose problems a browser shows as a page.
   *
   * @param title what did not succeed
   */
  public static EndpointHandler around(String title, EndpointHandler handler) {
    return request -> {
      try {
        return handler.handle(request);
      } catch (Problem problem) {
        if (!request.accepts("text/html")) {
          throw problem;
        }
        return page(title, problem);
      }
    };
  }

  private static Response page(String title, Problem problem) {
    String html =
        """
        <!doctype html>
        <html lang="en">
        <head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
        <title>TITLE</title></head>
        <body><h1>TITLE</h1><p>DETAIL</p><p><a href="/">Back to the console</a></p>
        <p><small>CODE</small></p></body>
        </html>
        """
            .replace("TITLE", escaped(title))
            .replace("CODE", escaped(problem.status() + " " + problem.code()))
            .replace("DETAIL", escaped(problem.detail()));
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("Cache-Control", "no-store");
    problem
        .retryAfter()
        .ifPresent(wait -> headers.put("Retry-After", Long.toString(wait.toSeconds() + 1)));
    return Response.again(
        problem.status(),
        headers,
        new Response.ResponseBody.BytesBody(TYPE, html.getBytes(StandardCharsets.UTF_8)));
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }
}
