@NullMarked
package io.convoke.lab.sim.time;

import org.jspecify.annotations.NullMarked;
