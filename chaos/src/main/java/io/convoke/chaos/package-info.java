/**
 * Chaos tests: real processes, seeded faults, and a history checker over everything observed. It
 * owns the command, the shape of scenarios and the reports; {@code history} owns the observations
 * and rules, each scenario its own plan.
 */
@NullMarked
package io.convoke.chaos;

import org.jspecify.annotations.NullMarked;
