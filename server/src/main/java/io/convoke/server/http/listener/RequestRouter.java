package io.convoke.server.http.listener;

import io.convoke.server.http.Endpoint.HttpMethod;
import io.convoke.server.http.PercentDecoder;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Finds the operation of a path. A literal segment beats a parameter, and a path without parameters
 * is found by one lookup of the undecoded path. Immutable once filled.
 */
final class RequestRouter<T> {

  /** The route of a path. */
  sealed interface RouteMatch<T> {
    /** An operation, with its path parameters decoded. */
    record RouteFound<T>(T target, Map<String, String> parameters) implements RouteMatch<T> {}

    /** The path exists, with other methods. */
    record RouteMethodMismatch<T>(Set<HttpMethod> allowed) implements RouteMatch<T> {}

    /** No such path. */
    record RouteMissing<T>() implements RouteMatch<T> {}
  }

  private static final class RouteNode<T> {
    final Map<String, RouteNode<T>> words = new HashMap<>();
    Optional<RouteNode<T>> parameter = Optional.empty();
    Map<HttpMethod, RouteLeaf<T>> leaves = Map.of();
  }

  private record RouteLeaf<T>(T target, List<String> names) {}

  private final Map<String, Map<HttpMethod, T>> exact = new HashMap<>();
  private final RouteNode<T> root = new RouteNode<>();

  /** Adds an operation; two of the same method and shape are a bug. */
  void add(HttpMethod httpMethod, String path, T target) {
    if (path.indexOf('{') < 0) {
      Object before =
          exact.computeIfAbsent(path, _ -> new EnumMap<>(HttpMethod.class)).put(httpMethod, target);
      rejectDuplicate(before, httpMethod, path);
    }
    List<String> names = new ArrayList<>();
    RouteNode<T> routeNode = root;
    for (String segment : segments(path)) {
      if (segment.startsWith("{")) {
        names.add(segment.substring(1, segment.length() - 1));
        routeNode.parameter = Optional.of(routeNode.parameter.orElseGet(RouteNode::new));
        routeNode = routeNode.parameter.get();
      } else {
        routeNode = routeNode.words.computeIfAbsent(segment, _ -> new RouteNode<>());
      }
    }
    if (routeNode.leaves.isEmpty()) {
      routeNode.leaves = new EnumMap<>(HttpMethod.class);
    }
    Object before = routeNode.leaves.put(httpMethod, new RouteLeaf<>(target, List.copyOf(names)));
    rejectDuplicate(before, httpMethod, path);
  }

  /** Finds what serves this undecoded path. */
  RouteMatch<T> find(Optional<HttpMethod> method, String rawPath) {
    Map<HttpMethod, T> direct = exact.get(rawPath);
    if (direct != null && method.isPresent()) {
      T target = direct.get(method.get());
      if (target != null) {
        return new RouteMatch.RouteFound<>(target, Map.of());
      }
    }
    List<String> segments = segments(rawPath);
    List<String> values = new ArrayList<>(4);
    if (method.isPresent()) {
      Optional<RouteNode<T>> node = walk(root, segments, 0, values, method);
      if (node.isPresent()) {
        RouteLeaf<T> routeLeaf = Objects.requireNonNull(node.get().leaves.get(method.get()));
        return new RouteMatch.RouteFound<>(routeLeaf.target, named(routeLeaf.names, values));
      }
      values.clear();
    }
    return walk(root, segments, 0, values, Optional.empty())
        .<RouteMatch<T>>map(found -> new RouteMatch.RouteMethodMismatch<>(found.leaves.keySet()))
        .orElseGet(RouteMatch.RouteMissing::new);
  }

  private Optional<RouteNode<T>> walk(
      RouteNode<T> routeNode,
      List<String> segments,
      int at,
      List<String> values,
      Optional<HttpMethod> method) {
    if (at == segments.size()) {
      boolean fits = method.map(routeNode.leaves::containsKey).orElse(!routeNode.leaves.isEmpty());
      return fits ? Optional.of(routeNode) : Optional.empty();
    }
    String segment = segments.get(at);
    RouteNode<T> word = routeNode.words.get(segment);
    if (word != null) {
      Optional<RouteNode<T>> found = walk(word, segments, at + 1, values, method);
      if (found.isPresent()) {
        return found;
      }
    }
    if (routeNode.parameter.isEmpty() || segment.isEmpty()) {
      return Optional.empty();
    }
    values.add(segment);
    Optional<RouteNode<T>> found =
        walk(routeNode.parameter.get(), segments, at + 1, values, method);
    if (found.isEmpty()) {
      values.removeLast();
    }
    return found;
  }

  private static Map<String, String> named(List<String> names, List<String> values) {
    Map<String, String> parameters = LinkedHashMap.newLinkedHashMap(names.size());
    for (int i = 0; i < names.size(); i++) {
      parameters.put(names.get(i), PercentDecoder.decode(values.get(i), false, names.get(i)));
    }
    return parameters;
  }

  private static List<String> segments(String path) {
    List<String> segments = new ArrayList<>(6);
    int from = 1;
    for (int at = path.indexOf('/', from); at >= 0; at = path.indexOf('/', from)) {
      segments.add(path.substring(from, at));
      from = at + 1;
    }
    segments.add(from <= path.length() ? path.substring(from) : "");
    return segments;
  }

  private static void rejectDuplicate(
      @org.jspecify.annotations.Nullable Object before, HttpMethod httpMethod, String path) {
    if (before != null) {
      throw new IllegalArgumentException("two endpoints for " + httpMethod + " " + path);
    }
  }
}
