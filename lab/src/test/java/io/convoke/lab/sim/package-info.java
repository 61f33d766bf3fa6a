@NullMarked
package io.convoke.lab.sim;

import org.jspecify.annotations.NullMarked;
