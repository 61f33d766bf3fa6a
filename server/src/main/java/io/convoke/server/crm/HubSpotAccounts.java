package io.convoke.server.crm;

import io.convoke.server.crm.CrmAccounts.CrmAccess;
import io.convoke.server.platform.RateLimiter;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;

/**
 * HubSpot with accounts of users: a meeting's note goes to the account that its user connected,
 * else to that of the server-wide token. Each account has its own limits.
 */
final class HubSpotAccounts implements CrmConnector {
  /** Accounts whose pause is remembered. */
  private static final int ACCOUNTS_MAX = 256;

  private final HubSpotCrm serverWide;
  private final boolean hasToken;
  private final CrmAccounts accounts;
  private final Function<String, RateLimiter> limiters;
  private final Map<String, CrmHttpClient> clients =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, CrmHttpClient> eldest) {
          return size() > ACCOUNTS_MAX;
        }
      };

  /**
   * @param hasToken whether {@code serverWide} has a token
   * @param limiters what all nodes together may send to an account
   */
  HubSpotAccounts(
      HubSpotCrm serverWide,
      boolean hasToken,
      CrmAccounts accounts,
      Function<String, RateLimiter> limiters) {
    this.serverWide = serverWide;
    this.hasToken = hasToken;
    this.accounts = accounts;
    this.limiters = limiters;
  }

  @Override
  public CrmConnector forMeeting(long meetingId) throws IOException, InterruptedException {
    return switch (accounts.ofMeeting(meetingId)) {
      case CrmAccess.NoAccount _ ->
          hasToken
              ? serverWide
              : new RefusingCrm(
                  "the meeting's user has connected no HubSpot account, and the server has no"
                      + " token of its own");
      case CrmAccess.ConnectedAccount account ->
          serverWide.as(account.token(), client(account.id()), () -> accounts.refused(account));
      case CrmAccess.LostAccount(String why) -> new RefusingCrm(why);
    };
  }

  private CrmHttpClient client(String account) {
    synchronized (clients) {
      return clients.computeIfAbsent(account, id -> serverWide.http().with(limiters.apply(id)));
    }
  }

  @Override
  public String kind() {
    return serverWide.kind();
  }

  @Override
  public Optional<String> lacks() throws IOException, InterruptedException {
    return serverWide.lacks();
  }

  @Override
  public CrmTransformResult transform(MeetingNote note) {
    return serverWide.transform(note);
  }

  @Override
  public CrmPushResult push(JsonNode body, Optional<MeetingNote> note, String idempotencyKey)
      throws IOException, InterruptedException {
    return serverWide.push(body, note, idempotencyKey);
  }

  @Override
  public void close() {
    synchronized (clients) {
      clients.values().forEach(CrmHttpClient::close);
    }
    serverWide.close();
  }

  /** Refuses every note, because there is no account for it. */
  private final class RefusingCrm implements CrmConnector {
    private final String why;

    RefusingCrm(String why) {
      this.why = why;
    }

    @Override
    public String kind() {
      return serverWide.kind();
    }

    @Override
    public Optional<String> lacks() {
      return Optional.of(why);
    }

    @Override
    public CrmTransformResult transform(MeetingNote note) {
      return new CrmTransformResult.CrmBodyImpossible(why);
    }

    @Override
    public CrmPushResult push(JsonNode body, Optional<MeetingNote> note, String idempotencyKey) {
      return new CrmPushResult.CrmPushRefused(why);
    }

    @Override
    public void close() {}
  }
}
