package io.convoke.server;

import io.convoke.server.http.ContractClient;
import io.convoke.server.http.ContractClient.Answered;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** An operation that the OpenAPI document of a server names. */
record DocumentedOperation(String method, String path, JsonNode description) {
  private static final Set<String> METHODS = Set.of("get", "post", "put", "patch", "delete");

  /** All of them. */
  static List<DocumentedOperation> of(ContractClient server) {
    JsonNode document =
        YAMLMapper.shared().readTree(server.get("/openapi.yaml").expect(200).body());
    List<DocumentedOperation> operations = new ArrayList<>();
    document
        .path("paths")
        .properties()
        .forEach(
            path ->
                path.getValue().properties().stream()
                    .filter(operation -> METHODS.contains(operation.getKey()))
                    .forEach(
                        operation ->
                            operations.add(
                                new DocumentedOperation(
                                    operation.getKey().toUpperCase(Locale.ROOT),
                                    path.getKey(),
                                    operation.getValue()))));
    return operations;
  }

  String id() {
    return description.path("operationId").asString();
  }

  Set<String> securitySchemes() {
    Set<String> schemes = new TreeSet<>();
    description.path("security").forEach(choice -> schemes.addAll(choice.propertyNames()));
    return schemes;
  }

  /** The answer to a call about an object that does not exist, with an empty body. */
  Answered call(ContractClient caller) {
    boolean body = !method.equals("GET") && !method.equals("DELETE");
    return caller.call(
        method,
        path.replaceAll("\\{[^}]+}", "987654321"),
        body ? BodyPublishers.ofString("{}") : BodyPublishers.noBody(),
        body ? "application/json" : null);
  }
}
