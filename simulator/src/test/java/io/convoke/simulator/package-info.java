@NullMarked
package io.convoke.simulator;

import org.jspecify.annotations.NullMarked;
