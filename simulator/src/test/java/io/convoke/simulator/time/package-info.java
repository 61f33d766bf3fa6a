@NullMarked
package io.convoke.simulator.time;

import org.jspecify.annotations.NullMarked;
