/**
 * Results and their output: samples, medians, ratios, goals and the machine's description, as a
 * text table and as JSON. Pure except for reading the machine's description.
 */
@NullMarked
package io.convoke.bench.report;

import org.jspecify.annotations.NullMarked;
