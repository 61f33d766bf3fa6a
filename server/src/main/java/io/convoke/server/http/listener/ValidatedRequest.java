package io.convoke.server.http.listener;

import io.convoke.engine.json.Json;
import io.convoke.server.http.ActionDetails;
import io.convoke.server.http.Caller;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.OperationCalls;
import io.convoke.server.http.PageRequest;
import io.convoke.server.http.Parameter.ParameterLocation;
import io.convoke.server.http.Problem;
import io.convoke.server.http.QuotaCheck;
import io.convoke.server.http.QuotaName;
import io.convoke.server.http.Request;
import io.convoke.server.http.RequestBodyKind;
import io.convoke.server.http.auth.AuthContext;
import java.io.InputStream;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.LongUnaryOperator;
import java.util.function.Supplier;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/** A request whose parts passed the checks of its endpoint. */
record ValidatedRequest(
    Endpoint endpoint,
    AuthContext visitor,
    Map<String, String> pathParameters,
    Map<String, List<String>> queryParameters,
    Function<String, Optional<String>> headers,
    RequestBody body,
    ActionDetails action,
    QuotaCheck quotas,
    LongUnaryOperator streams,
    OperationCalls operations,
    Supplier<String> trace)
    implements Request {
  private static final Set<String> COMMON_HEADERS =
      Set.of(
          "accept",
          "last-event-id",
          "if-none-match",
          "idempotency-key",
          "host",
          "cookie",
          "origin",
          "sec-fetch-site",
          "x-forwarded-proto");

  /** The parameters of path and query as one text. */
  String parameters() {
    return pathParameters.toString() + queryParameters;
  }

  @Override
  public Caller caller() {
    return visitor.caller();
  }

  @Override
  public Optional<Instant> sessionEnd() {
    return visitor.sessionEnd();
  }

  @Override
  public boolean reads() {
    return endpoint.method() == Endpoint.HttpMethod.GET;
  }

  @Override
  public String peer() {
    return visitor.peer().get();
  }

  @Override
  public String path(String name) {
    String value = pathParameters.get(name);
    if (value == null) {
      throw undeclared(ParameterLocation.PATH, name);
    }
    return value;
  }

  @Override
  public Optional<String> query(String name) {
    return queryAll(name).stream().findFirst();
  }

  @Override
  public List<String> queryAll(String name) {
    if (endpoint.parameter(ParameterLocation.QUERY, name).isEmpty()) {
      throw undeclared(ParameterLocation.QUERY, name);
    }
    return queryParameters.getOrDefault(name, List.of());
  }

  @Override
  public PageRequest page() {
    int limit = query("limit").map(Integer::valueOf).orElse(PageRequest.DEFAULT_LIMIT);
    return new PageRequest(limit, query("cursor"));
  }

  @Override
  public Optional<String> header(String name) {
    boolean raw =
        endpoint.body() instanceof RequestBodyKind.RawRequestBody
            || endpoint.body() instanceof RequestBodyKind.StreamedRequestBody;
    if (!raw
        && !COMMON_HEADERS.contains(name.toLowerCase(Locale.ROOT))
        && endpoint.parameter(ParameterLocation.HEADER, name).isEmpty()) {
      throw undeclared(ParameterLocation.HEADER, name);
    }
    return headers.apply(name);
  }

  @Override
  public byte[] rawBody() {
    return body.bytes();
  }

  @Override
  public InputStream bodyStream() {
    if (!(endpoint.body() instanceof RequestBodyKind.StreamedRequestBody)) {
      throw new IllegalArgumentException(endpoint + " has no streamed body");
    }
    return body.stream();
  }

  @Override
  public <T> T body(Class<T> type) {
    try {
      return Json.read(json(), type);
    } catch (JacksonException _) {
      throw Problem.badRequest("body", "does not have the expected form");
    }
  }

  @Override
  public JsonNode json() {
    return body.tree().orElseGet(JsonNodeFactory.instance::objectNode);
  }

  @Override
  public void permitMore(QuotaName quota, int count) {
    if (caller() instanceof Caller.UserCaller user) {
      quotas.permitMore(quota, count, user.userId(), openStreams(user.userId()));
    }
  }

  @Override
  public long openStreams(long userId) {
    return streams.applyAsLong(userId);
  }

  @Override
  public String traceId() {
    return trace.get();
  }

  private IllegalArgumentException undeclared(ParameterLocation parameterLocation, String name) {
    return new IllegalArgumentException(
        endpoint
            + " does not declare the "
            + parameterLocation.name().toLowerCase(Locale.ROOT)
            + " parameter "
            + name);
  }
}
