package io.convoke.server.crmaccounts;

import io.convoke.engine.crypto.SecretBox;
import io.convoke.server.crm.CrmAccounts;
import io.convoke.server.crmaccounts.CrmConnectionStore.CrmConnection;
import io.convoke.server.crmaccounts.HubSpotTokenClient.TokenReply;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tokens of the accounts that users connected. A refresh token is for one use, so of all nodes one
 * asks for the next pair, a while before the access token ends; the others use that token
 * meanwhile. The request is made outside a transaction; its result is stored if the row still has
 * the pair that it was made with.
 */
final class ConnectedAccounts implements CrmAccounts {
  private static final Logger log = LoggerFactory.getLogger(ConnectedAccounts.class);

  /** How long before its end a token is replaced. */
  private static final Duration EARLY = Duration.ofMinutes(5);

  /** A token that lives shorter is not used: a note takes several requests. */
  private static final Duration USABLE = Duration.ofSeconds(20);

  /** How long one node has the right to refresh. */
  private static final Duration REFRESH_MAX = HubSpotTokenClient.ANSWER_MAX.multipliedBy(3);

  static final String REVOKED =
      "HubSpot gives no more access: the app was removed from the account, or its access was"
          + " revoked; connect HubSpot again";

  private final CrmConnectionStore store;
  private final HubSpotTokenClient client;
  private final SecretBox box;

  ConnectedAccounts(CrmConnectionStore store, HubSpotTokenClient client, SecretBox box) {
    this.store = store;
    this.client = client;
    this.box = box;
  }

  @Override
  public CrmAccess ofMeeting(long meetingId) throws IOException, InterruptedException {
    Optional<CrmConnection> found = store.ofMeeting(meetingId);
    return found.isEmpty() ? new CrmAccess.NoAccount() : access(found.get());
  }

  private CrmAccess access(CrmConnection connection) throws IOException, InterruptedException {
    if (connection.failure().isPresent()) {
      return new CrmAccess.LostAccount(connection.failure().get());
    }
    CrmTokens tokens;
    try {
      tokens = CrmTokens.open(box, connection.sealed());
    } catch (SecretBox.UnsealFailure _) {
      return new CrmAccess.LostAccount(
          "the tokens of HubSpot are sealed with a key that is not configured; connect again");
    }
    if (connection.left().compareTo(EARLY) > 0) {
      return account(connection, tokens);
    }
    if (store.beginRefresh(connection, REFRESH_MAX)) {
      return refresh(connection, tokens);
    }
    if (connection.left().compareTo(USABLE) > 0) {
      return account(connection, tokens);
    }
    throw new IOException("another request asks HubSpot for the next token of this user");
  }

  private CrmAccess refresh(CrmConnection connection, CrmTokens tokens)
      throws IOException, InterruptedException {
    TokenReply reply;
    try {
      reply = client.refresh(tokens.refresh());
    } catch (IOException away) {
      store.endRefresh(connection);
      if (connection.left().compareTo(USABLE) > 0) {
        log.info("The next token of user {} must wait: {}", connection.userId(), away.getMessage());
        return account(connection, tokens);
      }
      throw away;
    }
    return switch (reply) {
      case TokenReply.TokensGranted granted -> {
        if (!store.refreshed(connection, granted.tokens().seal(box), granted.life())) {
          throw new IOException("the connection of this user changed meanwhile");
        }
        yield new CrmAccess.ConnectedAccount(
            connection.userId(),
            connection.account(),
            connection.version() + 1,
            granted.tokens().access());
      }
      case TokenReply.TokensRefused _ -> {
        log.warn("HubSpot gives user {} no more tokens", connection.userId());
        store.fail(connection, REVOKED);
        yield new CrmAccess.LostAccount(REVOKED);
      }
    };
  }

  private static CrmAccess account(CrmConnection connection, CrmTokens tokens) {
    return new CrmAccess.ConnectedAccount(
        connection.userId(), connection.account(), connection.version(), tokens.access());
  }

  @Override
  public void refused(CrmAccess.ConnectedAccount account) {
    store.expire(account.userId(), account.version());
  }
}
