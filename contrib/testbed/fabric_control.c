#include "contrib/testbed/fabric_control.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define MAX_CLIENTS (FABRIC_CONTROL_MAX_FDS - 1)
#define MAX_LINE 1024
#define MAX_WORDS 16

typedef struct client {
    int fd; /* -1: this slot is free */
    char line[MAX_LINE];
    size_t n_line;
    char *answer; /* the part not sent yet; NULL if none */
    size_t n_answer, n_sent;
} client_t;

struct fabric_control {
    int fd;
    char *path;
    const fabric_command_t *commands;
    void *context;
    client_t clients[MAX_CLIENTS];
};

fabric_control_t *fabric_control_open(const char *path, const fabric_command_t *commands,
                                      void *context, char *why, size_t why_size)
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
    *control =
        (fabric_control_t){.fd = fd, .path = own_path, .commands = commands, .context = context};
    for (int i = 0; i < MAX_CLIENTS; i++) {
        control->clients[i].fd = -1;
    }
    return control;
}

static void hang_up(client_t *client)
{
    close(client->fd);
    free(client->answer);
    *client = (client_t){.fd = -1};
}

void fabric_control_close(fabric_control_t *control)
{
    if (control == NULL) {
        return;
    }
    for (int i = 0; i < MAX_CLIENTS; i++) {
        if (control->clients[i].fd >= 0) {
            hang_up(&control->clients[i]);
        }
    }
    close(control->fd);
    unlink(control->path);
    free(control->path);
    free(control);
}

int fabric_control_poll(const fabric_control_t *control, struct pollfd *fds)
{
    int n = 0;
    fds[n++] = (struct pollfd){.fd = control->fd, .events = POLLIN};
    for (int i = 0; i < MAX_CLIENTS; i++) {
        const client_t *client = &control->clients[i];
        if (client->fd >= 0) {
            short events = client->answer != NULL ? POLLOUT : POLLIN;
            fds[n++] = (struct pollfd){.fd = client->fd, .events = events};
        }
    }
    return n;
}

static void welcome(fabric_control_t *control)
{
    int fd = accept4(control->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    for (int i = 0; fd >= 0 && i < MAX_CLIENTS; i++) {
        if (control->clients[i].fd < 0) {
            control->clients[i].fd = fd;
            return;
        }
    }
    if (fd >= 0) {
        close(fd);
    }
}

static const char *run_words(fabric_control_t *control, char **words, int n_words, FILE *answer)
{
    for (const fabric_command_t *c = control->commands; n_words > 0 && c->name != NULL; c++) {
        if (strcmp(c->name, words[0]) == 0) {
            return c->run(control->context, words, n_words, answer);
        }
    }
    return "no such command";
}

/** Runs one line and keeps its answer; false if out of memory. */
static bool run_line(fabric_control_t *control, client_t *client, char *line)
{
    char *words[MAX_WORDS], *rest = NULL;
    int n_words = 0;
    for (char *word = strtok_r(line, " \t\r", &rest); word != NULL && n_words < MAX_WORDS;
         word = strtok_r(NULL, " \t\r", &rest)) {
        words[n_words++] = word;
    }
    FILE *answer = open_memstream(&client->answer, &client->n_answer);
    if (answer == NULL) {
        return false;
    }
    const char *wrong = run_words(control, words, n_words, answer);
    fprintf(answer, wrong == NULL ? "ok\n" : "error: %s\n", wrong);
    client->n_sent = 0;
    return fclose(answer) == 0;
}

/** Sends what it can; false if the client is gone. */
static bool send_answer(client_t *client)
{
    ssize_t sent = send(client->fd, client->answer + client->n_sent,
                        client->n_answer - client->n_sent, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0) {
        return errno == EAGAIN || errno == EINTR;
    }
    client->n_sent += (size_t) sent;
    if (client->n_sent == client->n_answer) {
        free(client->answer);
        client->answer = NULL;
    }
    return true;
}

/** Reads what there is and answers the first whole line; false if the client is gone. */
static bool listen_to(fabric_control_t *control, client_t *client)
{
    char *end = memchr(client->line, '\n', client->n_line);
    if (end == NULL) {
        ssize_t n = recv(client->fd, client->line + client->n_line, MAX_LINE - client->n_line,
                         MSG_DONTWAIT);
        if (n <= 0) {
            return n < 0 && (errno == EAGAIN || errno == EINTR);
        }
        client->n_line += (size_t) n;
        end = memchr(client->line, '\n', client->n_line);
    }
    if (end == NULL) {
        return client->n_line < MAX_LINE;
    }
    *end = '\0';
    bool answered = run_line(control, client, client->line) && send_answer(client);
    client->n_line -= (size_t) (end + 1 - client->line);
    memmove(client->line, end + 1, client->n_line);
    return answered;
}

void fabric_control_serve(fabric_control_t *control)
{
    welcome(control);
    for (int i = 0; i < MAX_CLIENTS; i++) {
        client_t *client = &control->clients[i];
        if (client->fd < 0) {
            continue;
        }
        bool stays = client->answer != NULL ? send_answer(client) : listen_to(control, client);
        if (!stays) {
            hang_up(client);
        }
    }
}
