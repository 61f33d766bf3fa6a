package io.convoke.server.mcp;

import io.convoke.server.http.Endpoint;
import io.convoke.server.http.Endpoint.DocumentedResponse;
import io.convoke.server.http.Parameter.ParameterLocation;
import io.convoke.server.http.RequestBodyKind;
import io.convoke.server.http.Response;
import io.convoke.server.http.Schema;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** What the operations of this server take and answer, so that tools say the same of them. */
final class AnswerSchemas {
  private final Map<String, Endpoint> endpoints;

  AnswerSchemas(List<Endpoint> endpoints) {
    this.endpoints =
        endpoints.stream().collect(Collectors.toMap(Endpoint::id, Function.identity()));
  }

  /** The JSON of an operation's success; of several forms the first one. */
  Schema of(String operation) {
    Schema schema =
        endpoint(operation).answers().stream()
            .filter(answer -> answer.status() < 300)
            .map(DocumentedResponse::contents)
            .flatMap(
                contents ->
                    contents.getOrDefault(Response.JSON, java.util.Optional.empty()).stream())
            .findFirst()
            .orElseThrow();
    return schema.keywords().get("anyOf") instanceof List<?> forms
            && forms.getFirst() instanceof Schema first
        ? first
        : schema;
  }

  /** A query parameter of an operation. */
  Schema query(String operation, String name) {
    return endpoint(operation).parameter(ParameterLocation.QUERY, name).orElseThrow().schema();
  }

  /** The JSON body of an operation. */
  Schema body(String operation) {
    if (endpoint(operation).body()
        instanceof RequestBodyKind.JsonRequestBody(Schema schema, _, _)) {
      return schema;
    }
    throw new IllegalArgumentException(operation + " has no JSON body");
  }

  private Endpoint endpoint(String operation) {
    Endpoint endpoint = endpoints.get(operation);
    if (endpoint == null) {
      throw new IllegalArgumentException("no operation " + operation);
    }
    return endpoint;
  }
}
