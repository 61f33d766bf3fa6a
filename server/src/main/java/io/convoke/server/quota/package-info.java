/**
 * Quotas: how much a user may have of what costs memory, disk or a shared budget, and {@code GET
 * /usage}. It counts rows of other features and owns none. Operators and internal services have no
 * quota.
 */
@NullMarked
package io.convoke.server.quota;

import org.jspecify.annotations.NullMarked;
