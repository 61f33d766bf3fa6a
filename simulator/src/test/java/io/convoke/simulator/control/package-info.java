@NullMarked
package io.convoke.simulator.control;

import org.jspecify.annotations.NullMarked;
