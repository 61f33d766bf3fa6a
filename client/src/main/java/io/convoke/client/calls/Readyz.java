package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.Component;
import java.util.List;
import java.util.Optional;

/** Whether this process can serve. {@code GET /readyz}. */
public final class Readyz extends ApiCall<Readyz.ReadyzAnswer> {
  private Readyz(CallParts parts) {
    super(parts, AnswerType.json(Readyz.ReadyzAnswer.class));
  }

  /** The call, with what it needs. */
  public static Readyz of() {
    return new Readyz(
        CallParts.repeatable("GET", "/readyz"));
  }

  /** {@code verbose}: Lists the components. */
  public Readyz verbose(String verbose) {
    return new Readyz(parts().query("verbose", verbose));
  }

  /**
   * What is answered.
   *
   * @param status One of ok, degraded.
   */
  public record ReadyzAnswer(
      String status,
      Optional<List<Component>> components) {}
}
