/*
 * Makes a rank live on a host whose time passes PIPEBCAST_DILATION times as slowly.
 *
 * The rank's clock is divided by the dilation. Work of its processor for the network takes a real
 * host's time, multiplied by the dilation: the library sleeps for it. With links that are slowed
 * alike, two cores so show many hosts with fast links. Ratios of times stay (time dilation: Gupta
 * et al., NSDI 2006).
 *
 * Only processes that MPI has started as ranks are dilated: mpirun and its daemons are not.
 * CLOCK_REALTIME and relative sleeps stay real.
 */
#ifndef DILATION_H
#define DILATION_H

#include <stdint.h>

/** Tells whether this process is a dilated rank. */
int dilation_is_on(void);

/** Forgets the work done so far: the rank has waited, so that it has nothing to catch up with. */
void dilation_note_wait(void);

/** Charges a look for events that waited and found some. */
void dilation_charge_wake(void);

#endif
