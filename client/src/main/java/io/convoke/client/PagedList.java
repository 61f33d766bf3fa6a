package io.convoke.client;

import io.convoke.client.ApiTransport.ApiRequest;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import tools.jackson.databind.JsonNode;

/**
 * A list of the API. Each iterator asks for one page after another, and for none that is not read.
 *
 * @param <T> the items
 */
public final class PagedList<T> implements Iterable<T> {
  private final ApiTransport transport;
  private final String path;
  private final Map<String, String> query;
  private final String items;
  private final Class<T> type;

  PagedList(
      ApiTransport transport, String path, Map<String, String> query, String items, Class<T> type) {
    this.transport = transport;
    this.path = path;
    this.query = query;
    this.items = items;
    this.type = type;
  }

  @Override
  public Iterator<T> iterator() {
    return new PageIterator();
  }

  /** The items as a stream, which asks for pages as it is read. */
  public Stream<T> stream() {
    return StreamSupport.stream(spliterator(), false);
  }

  private final class PageIterator implements Iterator<T> {
    private final Deque<JsonNode> page = new ArrayDeque<>();
    private Optional<String> cursor = Optional.empty();
    private boolean begun;

    @Override
    public boolean hasNext() {
      while (page.isEmpty() && (!begun || cursor.isPresent())) {
        begun = true;
        Map<String, String> asked = new LinkedHashMap<>(query);
        cursor.ifPresent(it -> asked.put("cursor", it));
        JsonNode answer = transport.send(ApiRequest.get(path, asked)).json();
        answer.path(items).forEach(page::add);
        cursor =
            Optional.of(answer.path("next_cursor"))
                .filter(JsonNode::isString)
                .map(JsonNode::asString);
      }
      return !page.isEmpty();
    }

    @Override
    public T next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      return ApiJson.as(page.remove(), type);
    }
  }
}
