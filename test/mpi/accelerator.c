/*
 * An accelerator of Open MPI 5.0 without a device: its memory cannot be touched by the processor,
 * and its copies go through a second mapping. As a component it is found in a directory of
 * components. Put before the C library as well, it has blocking broadcasts go from and to such
 * memory. The variable ON_DEVICE names the ranks (root, one, all). One: the rank behind the root.
 * AS=ibcast or AS=persistent makes nonblocking or persistent ones of them.
 */
#include "base/compat.h"
#include "test/must.h"

#if defined(MCA_COLL_BASE_VERSION_2_4_0)

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define EXPORTED __attribute__((visibility("default")))
#define MAX_AREAS 64

/** Memory of the device. */
typedef struct area {
    char *device; /**< its address for everyone; NULL: not used */
    char *host;   /**< where it really is */
    size_t bytes;
} area_t;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static area_t areas[MAX_AREAS];
static long n_copies, n_broadcasts;

/* Memory. */

/** The area with an address; NULL: it is the host's. With the lock held. */
static area_t *area_of(const void *address)
{
    const char *byte = address;
    for (int i = 0; i < MAX_AREAS; i++) {
        area_t *area = &areas[i];
        if (area->device != NULL && byte >= area->device && byte < area->device + area->bytes) {
            return area;
        }
    }
    return NULL;
}

/** Where bytes of the host or the device really are. */
static char *real(const void *address)
{
    pthread_mutex_lock(&lock);
    const area_t *area = area_of(address);
    char *found =
        area != NULL ? area->host + ((const char *) address - area->device) : (char *) address;
    pthread_mutex_unlock(&lock);
    return found;
}

static int take(int device, void **address_p, size_t bytes)
{
    const area_t made = {.device = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
                         .host = malloc(bytes),
                         .bytes = bytes};
    int i = 0;
    (void) device;
    pthread_mutex_lock(&lock);
    while (i < MAX_AREAS && areas[i].device != NULL) {
        i++;
    }
    must(i != MAX_AREAS && made.device != MAP_FAILED && made.host != NULL);
    areas[i] = made;
    pthread_mutex_unlock(&lock);
    *address_p = made.device;
    return OPAL_SUCCESS;
}

static int give_back(int device, void *address)
{
    (void) device;
    pthread_mutex_lock(&lock);
    area_t *area = area_of(address);
    munmap(area->device, area->bytes);
    free(area->host);
    area->device = NULL;
    pthread_mutex_unlock(&lock);
    return OPAL_SUCCESS;
}

/* The module. */

static int check_addr(const void *address, int *device_p, uint64_t *flags)
{
    pthread_mutex_lock(&lock);
    const bool is_devices = area_of(address) != NULL;
    pthread_mutex_unlock(&lock);
    *device_p = is_devices ? 0 : MCA_ACCELERATOR_NO_DEVICE_ID;
    *flags = 0;
    return is_devices;
}

static int copy(int to_device, int from_device, void *to, const void *from, size_t bytes,
                opal_accelerator_transfer_type_t type)
{
    (void) to_device;
    (void) from_device;
    (void) type;
    memmove(real(to), real(from), bytes);
    __atomic_add_fetch(&n_copies, 1, __ATOMIC_RELAXED);
    return OPAL_SUCCESS;
}

static int copy_async(int to_device, int from_device, void *to, const void *from, size_t bytes,
                      opal_accelerator_stream_t *stream, opal_accelerator_transfer_type_t type)
{
    (void) stream;
    return copy(to_device, from_device, to, from, bytes, type);
}

static int create_stream(int device, opal_accelerator_stream_t **stream_p)
{
    (void) device;
    *stream_p = OBJ_NEW(opal_accelerator_stream_t);
    return *stream_p != NULL ? OPAL_SUCCESS : OPAL_ERR_OUT_OF_RESOURCE;
}

static int create_event(int device, opal_accelerator_event_t **event_p)
{
    (void) device;
    *event_p = OBJ_NEW(opal_accelerator_event_t);
    return *event_p != NULL ? OPAL_SUCCESS : OPAL_ERR_OUT_OF_RESOURCE;
}

static int record_event(int device, opal_accelerator_event_t *event,
                        opal_accelerator_stream_t *stream)
{
    (void) device;
    (void) event;
    (void) stream;
    return OPAL_SUCCESS;
}

static int query_event(int device, opal_accelerator_event_t *event)
{
    (void) device;
    (void) event;
    return OPAL_SUCCESS;
}

static int get_address_range(int device, const void *address, void **base_p, size_t *bytes_p)
{
    (void) device;
    pthread_mutex_lock(&lock);
    const area_t *area = area_of(address);
    *base_p = area->device;
    *bytes_p = area->bytes;
    pthread_mutex_unlock(&lock);
    return OPAL_SUCCESS;
}

static int host_register(int device, void *address, size_t bytes)
{
    (void) device;
    (void) address;
    (void) bytes;
    return OPAL_SUCCESS;
}

static int host_unregister(int device, void *address)
{
    return host_register(device, address, 0);
}

static int get_device(int *device_p)
{
    *device_p = 0;
    return OPAL_SUCCESS;
}

static int get_device_pci_attr(int device, opal_accelerator_pci_attr_t *attributes)
{
    (void) device;
    *attributes = (opal_accelerator_pci_attr_t){.bus_id = 1};
    return OPAL_SUCCESS;
}

static int device_can_access_peer(int *access_p, int one, int other)
{
    *access_p = one == other;
    return OPAL_SUCCESS;
}

static int get_buffer_id(int device, const void *address, opal_accelerator_buffer_id_t *id_p)
{
    (void) device;
    *id_p = (opal_accelerator_buffer_id_t) (uintptr_t) address;
    return OPAL_SUCCESS;
}

static opal_accelerator_base_module_t module = {
    .check_addr = check_addr,
    .create_stream = create_stream,
    .create_event = create_event,
    .record_event = record_event,
    .query_event = query_event,
    .mem_copy_async = copy_async,
    .mem_copy = copy,
    .mem_move = copy,
    .mem_alloc = take,
    .mem_release = give_back,
    .get_address_range = get_address_range,
    .host_register = host_register,
    .host_unregister = host_unregister,
    .get_device = get_device,
    .get_device_pci_attr = get_device_pci_attr,
    .device_can_access_peer = device_can_access_peer,
    .get_buffer_id = get_buffer_id,
};

static opal_accelerator_base_module_t *init(void)
{
    return &module;
}

static void finalize(opal_accelerator_base_module_t *of)
{
    (void) of;
}

EXPORTED const opal_accelerator_base_component_t mca_accelerator_pages_component = {
    .base_version = {OPAL_ACCELERATOR_BASE_VERSION_1_0_0, .mca_component_name = "pages",
                     .mca_component_major_version = 1},
    .base_data = {MCA_BASE_METADATA_PARAM_CHECKPOINT},
    .accelerator_init = init,
    .accelerator_finalize = finalize,
};

/* Broadcasts of a program. */

static bool is_on_device(int root, MPI_Comm comm)
{
    const char *where = getenv("ON_DEVICE");
    int rank, size;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &size);
    return strcmp(where, "all") == 0 || (strcmp(where, "root") == 0 && rank == root) ||
           (strcmp(where, "one") == 0 && rank == (root + 1) % size);
}

static bool goes_as(const char *what)
{
    const char *as = getenv("AS");
    return as != NULL && strcmp(as, what) == 0;
}

static int broadcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    MPI_Request request;
    int rc;
    if (goes_as("ibcast")) {
        rc = PMPI_Ibcast(buffer, count, type, root, comm, &request);
        return rc == MPI_SUCCESS ? PMPI_Wait(&request, MPI_STATUS_IGNORE) : rc;
    }
    if (!goes_as("persistent")) {
        return PMPI_Bcast(buffer, count, type, root, comm);
    }
    rc = PMPI_Bcast_init(buffer, count, type, root, comm, MPI_INFO_NULL, &request);
    if (rc == MPI_SUCCESS) {
        PMPI_Start(&request);
        rc = PMPI_Wait(&request, MPI_STATUS_IGNORE);
        PMPI_Request_free(&request);
    }
    return rc;
}

/** The bytes from *first_p on, as seen from its address, in which a buffer lies. */
static size_t reach_of(int count, MPI_Datatype type, MPI_Aint *first_p)
{
    MPI_Aint lb, extent, true_lb, true_extent;
    PMPI_Type_get_extent(type, &lb, &extent);
    PMPI_Type_get_true_extent(type, &true_lb, &true_extent);
    const MPI_Aint last = (count - 1) * extent;
    const MPI_Aint begin = true_lb + (last < 0 ? last : 0);
    const MPI_Aint end = true_lb + true_extent + (last > 0 ? last : 0);
    *first_p = begin < 0 ? begin : 0;
    return (size_t) ((end > 0 ? end : 1) - *first_p);
}

EXPORTED int MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    MPI_Aint first;
    void *device;
    if (buffer == MPI_BOTTOM || count == 0 || !is_on_device(root, comm)) {
        return broadcast(buffer, count, type, root, comm);
    }
    const size_t bytes = reach_of(count, type, &first);
    take(0, &device, bytes);
    memcpy(real(device), (char *) buffer + first, bytes);
    const int rc = broadcast((char *) device - first, count, type, root, comm);
    memcpy((char *) buffer + first, real(device), bytes);
    give_back(0, device);
    n_broadcasts++;
    return rc;
}

EXPORTED int MPI_Finalize(void)
{
    printf("on the device: %ld broadcasts, %ld copies\n", n_broadcasts, n_copies);
    fflush(stdout);
    return PMPI_Finalize();
}

#endif
