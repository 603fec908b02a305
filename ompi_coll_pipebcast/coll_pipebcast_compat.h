/*
 * Open MPI's headers, and what differs between its series. The rest of the
 * plugin is written against this header alone.
 */
#ifndef COLL_PIPEBCAST_COMPAT_H
#define COLL_PIPEBCAST_COMPAT_H

#include "ompi_config.h"

#include "mpi.h"

#include "ompi/communicator/communicator.h"
#include "ompi/constants.h"
#include "ompi/datatype/ompi_datatype.h"
#include "ompi/group/group.h"
#include "ompi/mca/coll/base/base.h"
#include "ompi/mca/coll/base/coll_tags.h"
#include "ompi/mca/coll/coll.h"
#include "ompi/mca/pml/pml.h"
#include "ompi/proc/proc.h"
#include "ompi/request/request.h"
#include "opal/class/opal_hash_table.h"
#include "opal/class/opal_list.h"
#include "opal/datatype/opal_convertor.h"
#include "opal/mca/base/base.h"
#include "opal/mca/base/mca_base_component_repository.h"
#include "opal/mca/base/mca_base_pvar.h"
#include "opal/mca/pmix/pmix.h"
#include "opal/runtime/opal_progress.h"
#include "opal/threads/threads.h"
#include "opal/util/argv.h"
#include "opal/util/output.h"
#include "opal/util/proc.h"

#if defined(MCA_COLL_BASE_VERSION_2_0_0)
/** Open MPI 4.1. */
#define COLL_PIPEBCAST_MCA_VERSION MCA_COLL_BASE_VERSION_2_0_0
#else
#error "this series of Open MPI is not supported yet"
#endif

/** The host that a process runs on, to be freed; NULL if it is not known here. No communication. */
static inline char *coll_pipebcast_host_of(const opal_process_name_t *name)
{
    char *host = NULL;
    int rc;
    OPAL_MODEX_RECV_VALUE_OPTIONAL(rc, OPAL_PMIX_HOSTNAME, (opal_process_name_t *) name, &host,
                                   OPAL_STRING);
    return rc == OPAL_SUCCESS ? host : NULL;
}

#endif
