/**
 * What all scenarios share: the log of injected faults as the only source of excuses, rules over
 * parts that every history has, and the floor of coverage below which a run proves nothing. It
 * starts no process and knows no feature of the product.
 */
@NullMarked
package io.convoke.chaos.kernel;

import org.jspecify.annotations.NullMarked;
