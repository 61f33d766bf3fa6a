package io.convoke.server.http;

import io.convoke.server.http.Endpoint.Method;
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
final class Router<T> {

  /** The route of a path. */
  sealed interface Match<T> {
    /** An operation, with its path parameters decoded. */
    record Found<T>(T target, Map<String, String> parameters) implements Match<T> {}

    /** The path exists, with other methods. */
    record OtherMethod<T>(Set<Method> allowed) implements Match<T> {}

    /** No such path. */
    record Missing<T>() implements Match<T> {}
  }

  private static final class Node<T> {
    final Map<String, Node<T>> words = new HashMap<>();
    Optional<Node<T>> parameter = Optional.empty();
    Map<Method, Leaf<T>> leaves = Map.of();
  }

  private record Leaf<T>(T target, List<String> names) {}

  private final Map<String, Map<Method, T>> exact = new HashMap<>();
  private final Node<T> root = new Node<>();

  /** Adds an operation; two of the same method and shape are a bug. */
  void add(Method method, String path, T target) {
    if (path.indexOf('{') < 0) {
      Object before =
          exact.computeIfAbsent(path, _ -> new EnumMap<>(Method.class)).put(method, target);
      rejectDuplicate(before, method, path);
    }
    List<String> names = new ArrayList<>();
    Node<T> node = root;
    for (String segment : segments(path)) {
      if (segment.startsWith("{")) {
        names.add(segment.substring(1, segment.length() - 1));
        node.parameter = Optional.of(node.parameter.orElseGet(Node::new));
        node = node.parameter.get();
      } else {
        node = node.words.computeIfAbsent(segment, _ -> new Node<>());
      }
    }
    if (node.leaves.isEmpty()) {
      node.leaves = new EnumMap<>(Method.class);
    }
    Object before = node.leaves.put(method, new Leaf<>(target, List.copyOf(names)));
    rejectDuplicate(before, method, path);
  }

  /** Finds what serves this undecoded path. */
  Match<T> find(Optional<Method> method, String rawPath) {
    Map<Method, T> direct = exact.get(rawPath);
    if (direct != null && method.isPresent()) {
      T target = direct.get(method.get());
      if (target != null) {
        return new Match.Found<>(target, Map.of());
      }
    }
    List<String> segments = segments(rawPath);
    List<String> values = new ArrayList<>(4);
    if (method.isPresent()) {
      Optional<Node<T>> node = walk(root, segments, 0, values, method);
      if (node.isPresent()) {
        Leaf<T> leaf = Objects.requireNonNull(node.get().leaves.get(method.get()));
        return new Match.Found<>(leaf.target, named(leaf.names, values));
      }
      values.clear();
    }
    return walk(root, segments, 0, values, Optional.empty())
        .<Match<T>>map(found -> new Match.OtherMethod<>(found.leaves.keySet()))
        .orElseGet(Match.Missing::new);
  }

  private Optional<Node<T>> walk(
      Node<T> node, List<String> segments, int at, List<String> values, Optional<Method> method) {
    if (at == segments.size()) {
      boolean fits = method.map(node.leaves::containsKey).orElse(!node.leaves.isEmpty());
      return fits ? Optional.of(node) : Optional.empty();
    }
    String segment = segments.get(at);
    Node<T> word = node.words.get(segment);
    if (word != null) {
      Optional<Node<T>> found = walk(word, segments, at + 1, values, method);
      if (found.isPresent()) {
        return found;
      }
    }
    if (node.parameter.isEmpty() || segment.isEmpty()) {
      return Optional.empty();
    }
    values.add(segment);
    Optional<Node<T>> found = walk(node.parameter.get(), segments, at + 1, values, method);
    if (found.isEmpty()) {
      values.removeLast();
    }
    return found;
  }

  private static Map<String, String> named(List<String> names, List<String> values) {
    Map<String, String> parameters = LinkedHashMap.newLinkedHashMap(names.size());
    for (int i = 0; i < names.size(); i++) {
      parameters.put(names.get(i), Percent.decode(values.get(i), false, names.get(i)));
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
      @org.jspecify.annotations.Nullable Object before, Method method, String path) {
    if (before != null) {
      throw new IllegalArgumentException("two endpoints for " + method + " " + path);
    }
  }
}
