#include "contrib/testbed/fabric_control.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

/* Bytes of a request. */
#define MAX_REQUEST (1 << 20)

struct fabric_control {
    int fd;
    int client; /* the one that is served; -1: none */
    char *path;
    fabric_answer_t *answer;
    void *context;
    size_t n_read;
    char request[MAX_REQUEST + 1];
};

fabric_control_t *fabric_control_open(const char *path, fabric_answer_t *answer, void *context,
                                      char *why, size_t why_size)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof(address.sun_path)) {
        snprintf(why, why_size, "%s: too long for the path of a socket", path);
        return NULL;
    }
    strcpy(address.sun_path, path);
    fabric_control_t *control = calloc(1, sizeof(*control));
    char *own_path = strdup(path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (control == NULL || own_path == NULL || fd < 0 ||
        bind(fd, (struct sockaddr *) &address, sizeof(address)) < 0 || listen(fd, 8) < 0) {
        snprintf(why, why_size, "control socket %s: %s", path, strerror(errno));
        free(control);
        free(own_path);
        if (fd >= 0) {
            close(fd);
        }
        return NULL;
    }
    control->fd = fd;
    control->client = -1;
    control->path = own_path;
    control->answer = answer;
    control->context = context;
    return control;
}

static void hang_up(fabric_control_t *control)
{
    close(control->client);
    control->client = -1;
    control->n_read = 0;
}

void fabric_control_close(fabric_control_t *control)
{
    if (control == NULL) {
        return;
    }
    if (control->client >= 0) {
        hang_up(control);
    }
    close(control->fd);
    unlink(control->path);
    free(control->path);
    free(control);
}

int fabric_control_fd(const fabric_control_t *control)
{
    return control->client >= 0 ? control->client : control->fd;
}

/** Answers the whole request. A client that does not read its answer for a second loses it. */
static void answer_client(fabric_control_t *control)
{
    const struct timeval second = {.tv_sec = 1};
    char *text = NULL;
    size_t n = 0;
    FILE *answer = open_memstream(&text, &n);
    if (answer == NULL) {
        return;
    }
    control->request[control->n_read] = '\0';
    const char *wrong = control->answer(control->context, control->request, answer);
    fprintf(answer, wrong == NULL ? "ok\n" : "error: %s\n", wrong);
    (void) setsockopt(control->client, SOL_SOCKET, SO_SNDTIMEO, &second, sizeof(second));
    if (fclose(answer) == 0) {
        (void) send(control->client, text, n, MSG_NOSIGNAL);
    }
    free(text);
}

/** Reads what the client has sent; false if more is to come. */
static bool read_request(fabric_control_t *control)
{
    ssize_t n;
    do {
        n = recv(control->client, control->request + control->n_read, MAX_REQUEST - control->n_read,
                 MSG_DONTWAIT);
        control->n_read += n > 0 ? (size_t) n : 0;
    } while (n > 0 && control->n_read < MAX_REQUEST);
    return n >= 0 || (errno != EAGAIN && errno != EINTR);
}

void fabric_control_serve(fabric_control_t *control)
{
    if (control->client < 0) {
        control->client = accept4(control->fd, NULL, NULL, SOCK_CLOEXEC);
    }
    if (control->client < 0 || !read_request(control)) {
        return;
    }
    if (control->n_read < MAX_REQUEST) {
        answer_client(control);
    }
    hang_up(control);
}
