/** A strict fake of the CRMs that receive notes of meetings. */
@NullMarked
package io.convoke.fakes.crm;

import org.jspecify.annotations.NullMarked;
