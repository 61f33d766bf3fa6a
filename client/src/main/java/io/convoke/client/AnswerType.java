package io.convoke.client;

import java.net.URI;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;

/**
 * What is made of an answer.
 *
 * @param <A> that
 */
public final class AnswerType<A> {
  private final Function<ApiReply, A> reader;
  private final boolean redirect;

  private AnswerType(Function<ApiReply, A> reader) {
    this(reader, false);
  }

  private AnswerType(Function<ApiReply, A> reader, boolean redirect) {
    this.reader = reader;
    this.redirect = redirect;
  }

  /** JSON of this type. */
  public static <A> AnswerType<A> json(Class<A> type) {
    return new AnswerType<>(reply -> ApiJson.as(reply.json(), type));
  }

  /** A page of a list whose entries are of this type. */
  static <T> AnswerType<ListPage<T>> page(Class<T> type) {
    return new AnswerType<>(reply -> ListPage.of(reply.json(), type));
  }

  /** Text. */
  public static AnswerType<String> text() {
    return new AnswerType<>(ApiReply::text);
  }

  /** Bytes, as they came. */
  public static AnswerType<byte[]> bytes() {
    return new AnswerType<>(ApiReply::content);
  }

  /** The address to go on at. */
  public static AnswerType<URI> address() {
    return new AnswerType<>(ApiReply::location, true);
  }

  /** No content: a missing node. */
  public static AnswerType<JsonNode> nothing() {
    return new AnswerType<>(_ -> MissingNode.getInstance());
  }

  /** Whether a redirect is the answer. */
  boolean redirect() {
    return redirect;
  }

  A read(ApiReply reply) {
    return reader.apply(reply);
  }
}
