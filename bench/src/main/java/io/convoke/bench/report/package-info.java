/**
 * What was measured, and how it is told: samples, medians, ratios, goals, the machine's one line,
 * as a text table and as JSON. Pure but for reading what machine this is.
 */
@NullMarked
package io.convoke.bench.report;

import org.jspecify.annotations.NullMarked;
