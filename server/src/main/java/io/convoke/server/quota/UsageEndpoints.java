package io.convoke.server.quota;

import io.convoke.server.http.ApiScope;
import io.convoke.server.http.CallerRole;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.QuotaName;
import io.convoke.server.http.Request;
import io.convoke.server.http.Response;
import io.convoke.server.http.Schema;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** {@code GET /usage}: what a user has, and may have. */
public final class UsageEndpoints {

  /**
   * The use of one quota.
   *
   * @param limit empty: unlimited
   */
  record QuotaUsage(String name, long used, Optional<Long> limit) {}

  /** The use of all quotas. */
  record QuotaUsages(List<QuotaUsage> items) {}

  private final UserQuotas quotas;

  public UsageEndpoints(UserQuotas quotas) {
    this.quotas = quotas;
  }

  /** The one endpoint. */
  public List<Endpoint> endpoints() {
    return List.of(
        Endpoint.get("/usage")
            .id("showUsage")
            .tag("usage")
            .summary("How much the caller has of everything that is limited.")
            .description(
                "A request for more is 429 quota_exceeded. limit is null where there is none;"
                    + " streams are those of this node.")
            .roles(CallerRole.USER)
            .scope(ApiScope.READ)
            .query("user_id", Schema.id().describe("For admins: whose usage."))
            .answers(200, Schema.of(QuotaUsages.class))
            .handle(this::show));
  }

  private Response show(Request request) {
    long user = request.actingUser();
    long streams = request.openStreams(user);
    return Response.ok(
        new QuotaUsages(
            Arrays.stream(QuotaName.values())
                .map(
                    quota ->
                        new QuotaUsage(
                            quota.wireName(),
                            quotas.used(quota, user, streams),
                            quotas.limit(quota)))
                .toList()));
  }
}
