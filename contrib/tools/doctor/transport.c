#include "transport.h"

#include <inttypes.h>

#include "ompi_coll_pipebcast/pml/route.h"
#include "topo/model/medium.h"

void doctor_transport_add(json_t *record)
{
    char text[PB_MEDIUM_TEXT_SIZE];
    const char *hosts = doctor_record_find(record, "coll_pipebcast_hosts");
    pb_medium_t medium;
    coll_pipebcast_route_elsewhere(hosts != NULL && hosts[0] != '\0', &medium);
    doctor_record_add(record, "transport", "%s", pb_medium_describe(&medium, text));
    doctor_record_add(record, "pml", "%s", medium.pml);
    doctor_record_add(record, "btls", "%s", medium.btls);
    doctor_record_add(record, "interface", "%s", medium.interfaces);
    if (medium.bits_per_second > 0) {
        doctor_record_add(record, "rate", "%" PRIu64, medium.bits_per_second);
    }
    if (medium.mtu > 0) {
        doctor_record_add(record, "mtu", "%" PRIu32, medium.mtu);
    }
    doctor_record_add(record, "ethernet", "%d", medium.is_ethernet);
}

char *doctor_transport_host(MPI_Comm comm, int rank)
{
    const opal_process_name_t name = ompi_group_get_proc_name(comm->c_local_group, rank);
    return coll_pipebcast_host_of(&name);
}
