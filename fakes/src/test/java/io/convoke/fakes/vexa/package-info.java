/** Tests of the fake of Vexa's bot image. */
@NullMarked
package io.convoke.fakes.vexa;

import org.jspecify.annotations.NullMarked;
