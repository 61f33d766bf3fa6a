package io.convoke.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.json.Json;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Each way to break an API is found, and what breaks none is not. */
class ApiBreaksTest {
  private static final String DOCUMENT =
      """
      {"paths": {"/things": {
         "get": {"operationId": "listThings", "security": [{"userKey": []}],
           "parameters": [{"name": "q", "in": "query", "required": false,
             "schema": {"type": "string", "enum": ["a", "b"]}}],
           "responses": {"200": {"content": {"application/json":
             {"schema": {"$ref": "#/components/schemas/Thing"}}}},
             "404": {"description": "none"}}},
         "post": {"operationId": "makeThing", "security": [],
           "requestBody": {"required": false, "content": {"application/json": {"schema":
             {"type": "object", "required": ["name"],
              "properties": {"name": {"type": "string"}, "size": {"type": ["integer", "null"]}}}}}},
           "responses": {"201": {"content": {"application/json": {"schema":
             {"anyOf": [{"$ref": "#/components/schemas/Thing"}, {"type": "null"}]}}}}}}}},
       "webhooks": {"thing.made": {"post": {"operationId": "onThingMade",
           "requestBody": {"required": true, "content": {"application/json": {"schema":
             {"type": "object", "required": ["id"], "properties": {"id": {"type": "integer"}}}}}},
           "responses": {}}}},
       "components": {"schemas": {"Thing": {"type": "object", "required": ["id", "inner"],
         "properties": {"id": {"type": "integer"}, "inner": {"type": "array", "items":
           {"type": "object", "required": ["at"], "properties": {"at": {"type": "string"}}}}}}}}}
      """;

  private static List<String> afterwards(Consumer<ObjectNode> change) {
    ObjectNode after = (ObjectNode) Json.read(DOCUMENT);
    change.accept(after);
    return ApiBreaks.between(Json.read(DOCUMENT), after);
  }

  private static ObjectNode at(JsonNode document, String pointer) {
    return (ObjectNode) document.at(pointer);
  }

  private static Consumer<ObjectNode> without(String pointer, String member) {
    return document -> assertThat(at(document, pointer).remove(member)).isNotNull();
  }

  private static Consumer<ObjectNode> with(String pointer, String member, String json) {
    return document -> at(document, pointer).set(member, Json.read(json));
  }

  @Test
  void nothingIsFoundWhereNothingChanged() {
    assertThat(afterwards(_ -> {})).isEmpty();
  }

  @Test
  void whatIsGoneIsFound() {
    assertThat(afterwards(without("/paths", "/things"))).containsExactly("/things is gone");
    assertThat(afterwards(without("/paths/~1things", "post")))
        .containsExactly("post /things is gone");
    assertThat(afterwards(without("/webhooks", "thing.made")))
        .containsExactly("thing.made is gone");
    assertThat(afterwards(with("/paths/~1things/get", "parameters", "[]")))
        .containsExactly("get /things parameter q is gone");
    assertThat(afterwards(without("/paths/~1things/get/responses", "200")))
        .containsExactly("get /things answers no more 200");
    assertThat(afterwards(without("/components/schemas/Thing/properties", "id")))
        .containsExactly("get /things 200.id is gone");
    assertThat(
            afterwards(
                without("/components/schemas/Thing/properties/inner/items/properties", "at")))
        .contains("get /things 200.inner[].at is gone");
    assertThat(
            afterwards(
                without(
                    "/webhooks/thing.made/post/requestBody/content/application~1json/schema/properties",
                    "id")))
        .containsExactly("post thing.made body.id is gone");
  }

  @Test
  void whatIsRequiredAnewIsFound() {
    String wanted =
        """
        [{"name": "q", "in": "query", "required": true, "schema": {"type": "string"}},
         {"name": "X-New", "in": "header", "required": true, "schema": {"type": "string"}}]
        """;
    assertThat(afterwards(with("/paths/~1things/get", "parameters", wanted)))
        .containsExactly(
            "get /things parameter q is required now", "get /things needs the new parameter X-New");
    String body = "/paths/~1things/post/requestBody";
    assertThat(afterwards(with(body, "required", "true")))
        .containsExactly("post /things needs a body now");
    assertThat(
            afterwards(
                with(
                    body + "/content/application~1json/schema",
                    "required",
                    "[\"name\", \"size\"]")))
        .containsExactly("post /things body.size is required now");
    assertThat(afterwards(with("/paths/~1things/post", "security", "[{\"adminKey\": []}]")))
        .containsExactly("post /things refuses callers that it took: []");
    assertThat(afterwards(with("/paths/~1things/get", "security", "[{\"adminKey\": []}]")))
        .containsExactly("get /things refuses callers that it took: [userKey]");
  }

  @Test
  void whatMeansSomethingElseIsFound() {
    assertThat(afterwards(with("/paths/~1things/get", "operationId", "\"all\"")))
        .containsExactly("get /things has another operationId");
    assertThat(
            afterwards(
                with("/components/schemas/Thing/properties/id", "type", "[\"integer\", \"null\"]")))
        .contains("get /things 200.id was [integer] and is [integer, null]");
    assertThat(
            afterwards(
                with(
                    "/paths/~1things/post/requestBody/content/application~1json/schema/properties/size",
                    "type",
                    "\"integer\"")))
        .containsExactly("post /things body.size was [integer, null] and is [integer]");
    assertThat(
            afterwards(
                document ->
                    ((ObjectNode) document.at("/paths/~1things/get/parameters/0/schema"))
                        .set("enum", Json.read("[\"a\"]"))))
        .containsExactly("get /things parameter q takes fewer values: [\"b\"]");
    assertThat(afterwards(with("/components/schemas/Thing", "required", "[\"inner\"]")))
        .contains("get /things 200.id may be absent now");
  }

  @Test
  void moreIsNoBreak() {
    assertThat(
            afterwards(
                document -> {
                  with("/paths", "/more", "{\"get\": {\"operationId\": \"more\"}}")
                      .accept(document);
                  with("/components/schemas/Thing/properties", "more", "{\"type\": \"string\"}")
                      .accept(document);
                  with(
                          "/paths/~1things/post/requestBody/content/application~1json/schema"
                              + "/properties",
                          "more",
                          "{\"type\": \"string\"}")
                      .accept(document);
                }))
        .isEmpty();
  }
}
