/**
 * Accounts at the CRM that users connect by OAuth. It owns the table {@code crm_connections} and
 * the endpoints under {@code /crm/connection}. It gives tokens to the sync; it sends no notes.
 */
@NullMarked
package io.convoke.server.crmaccounts;

import org.jspecify.annotations.NullMarked;
