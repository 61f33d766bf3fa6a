package io.convoke.chaos.kernel;

import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.util.List;

/** No user reads what belongs to another, neither by its address nor in a list. */
public final class TenantRule implements Rule<List<TenantRule.TenantRead>> {
  /**
   * A user's read of an address or a list.
   *
   * @param reader id of the user
   * @param status the answer's; 0 for none
   * @param own whether the address is one of the reader's own, or a list
   * @param foreign subjects of other users that the answer shows
   */
  public record TenantRead(
      long reader, String path, int status, boolean own, List<String> foreign) {
    /** Whether it shows that reads work at all. */
    boolean proves() {
      return own && status == 200;
    }
  }

  @Override
  public List<RuleViolation> check(List<TenantRead> reads) {
    return reads.stream()
        .filter(read -> !read.foreign().isEmpty())
        .map(
            read ->
                ViolationKind.ILLEGAL.found(
                    "user %d was answered %d by %s, which shows %s of others",
                    read.reader(), read.status(), read.path(), read.foreign()))
        .toList();
  }

  /** How many reads were answered to their owner: if none is, the rule proves nothing. */
  public static long proofs(List<TenantRead> reads) {
    return reads.stream().filter(TenantRead::proves).count();
  }
}
