@NullMarked
package io.convoke.simulator.script;

import org.jspecify.annotations.NullMarked;
