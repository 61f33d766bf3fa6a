package io.convoke.client;

/**
 * An operation of the API with what it is given, to be carried out by {@link ConvokeClient#call}.
 * The classes of {@code io.convoke.client.calls} make them. Immutable: each method that gives it
 * more returns another.
 *
 * @param <A> the answer
 */
public abstract class ApiCall<A> {
  private final CallParts parts;
  private final AnswerType<A> answer;

  /** A call of these parts, answered so. */
  protected ApiCall(CallParts parts, AnswerType<A> answer) {
    this.parts = parts;
    this.answer = answer;
  }

  /** What is sent. */
  protected final CallParts parts() {
    return parts;
  }

  final A send(ApiTransport transport, CallParts request) {
    return answer.read(transport.send(request, answer.redirect()));
  }
}
