package io.convoke.client;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
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
  private final CallParts request;
  private final String items;
  private final Class<T> type;

  PagedList(ApiTransport transport, CallParts request, String items, Class<T> type) {
    this.transport = transport;
    this.request = request;
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
        JsonNode answer =
            transport.send(cursor.map(it -> request.query("cursor", it)).orElse(request)).json();
        answer.path(items).forEach(page::add);
        cursor = ListPage.cursor(answer);
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
