package io.convoke.client;

/**
 * An operation that answers a list page by page: {@link ConvokeClient#list} reads all of it, {@link
 * ConvokeClient#call} a page.
 *
 * @param <T> the entries
 */
public abstract class ListCall<T> extends ApiCall<ListPage<T>> {
  private final Class<T> type;

  /** A call of these parts, whose entries are of this type. */
  protected ListCall(CallParts parts, Class<T> type) {
    super(parts, AnswerType.page(type));
    this.type = type;
  }

  final Class<T> type() {
    return type;
  }
}
