package io.convoke.server.crmaccounts;

import io.convoke.engine.crypto.SecretBox;
import io.convoke.engine.sql.Database;
import io.convoke.server.crm.CrmAccounts;
import io.convoke.server.http.Endpoint;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/** Wires the accounts that users connect. */
public final class CrmAccountsFeature {
  /** What tokens are sealed for. */
  public static final String PURPOSE = CrmTokens.PURPOSE;

  private final CrmConnectionEndpoints endpoints;
  private final CrmAccounts accounts;

  /**
   * @param app empty: users cannot connect accounts
   * @param box seals tokens and the flows that have begun
   */
  public CrmAccountsFeature(
      Optional<HubSpotAppConfig> app, Database database, SecretBox box, InstantSource clock) {
    CrmConnectionStore store = new CrmConnectionStore(database);
    Optional<HubSpotTokenClient> client = app.map(HubSpotTokenClient::new);
    this.endpoints = new CrmConnectionEndpoints(client, store, box, clock);
    this.accounts =
        client
            .<CrmAccounts>map(present -> new ConnectedAccounts(store, present, box))
            .orElse(CrmAccounts.NONE);
  }

  /** What the sync asks for tokens. */
  public CrmAccounts accounts() {
    return accounts;
  }

  /** The endpoints under {@code /crm/connection}. */
  public List<Endpoint> endpoints() {
    return endpoints.endpoints();
  }
}
